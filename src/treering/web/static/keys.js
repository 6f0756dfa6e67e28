// By key: / to the box, j and k through a list, Enter opens; on Review y keeps and x forgets.
const box = document.getElementById("q");
const inbox = document.getElementById("inbox");
let at = null;

const hits = () => [...document.querySelectorAll("[data-hit]")];

const mark = (next) => {
  at?.classList.remove("is-at");
  at = next;
  if (!at) return;
  at.classList.add("is-at");
  at.querySelector("a, button")?.focus({ preventScroll: true });
  at.scrollIntoView({ block: "nearest" });
};

const move = (step) => {
  const all = hits();
  if (all.length) mark(all[Math.min(all.length - 1, Math.max(0, all.indexOf(at) + step))]);
};

const press = (selector) => {
  const card = at?.matches("[data-card]") ? at : null;
  card?.querySelector(selector)?.click();
};

// Answers of the inbox in place: the server's page is asked for, and the one card is exchanged.
const send = async (form) => {
  const answer = await fetch(form.action, {
    method: "POST",
    body: new URLSearchParams(new FormData(form)),
    credentials: "same-origin",
  });
  if (!answer.ok) return null;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
};

const answerInPlace = async (event) => {
  const form = event.target;
  const card = form.closest("[data-card], [data-answered]");
  if (!card || form.method !== "post") return;
  event.preventDefault();
  const id = card.dataset.card ?? card.dataset.answered;
  const page = await send(form);
  if (!page) {
    form.submit();
    return;
  }
  const again = page.querySelector(`[data-card="${id}"]`);
  const notice = page.querySelector(".notice");
  const next = again ?? notice ?? document.createElement("div");
  if (!again) next.dataset.answered = id;
  const following = hits()[hits().indexOf(card) + 1] ?? hits().at(-2);
  card.replaceWith(next);
  const lead = page.querySelector("main .lead");
  if (lead) document.querySelector("main .lead").textContent = lead.textContent;
  if (again) mark(again);
  else if (following && following !== card) mark(following);
};

inbox?.addEventListener("submit", answerInPlace);

const KEYS = {
  "/": () => {
    box.focus();
    box.select();
  },
  j: () => move(1),
  k: () => move(-1),
  y: () => press("button.keep"),
  x: () => press("button.forget"),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && event.target === box) {
    box.blur();
    return;
  }
  if (event.target.closest("input, textarea, select")) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// The branch is switched as soon as another one is chosen.
const branches = document.getElementById("branch");
if (branches) {
  branches.form.querySelector("button").hidden = true;
  branches.addEventListener("change", () => branches.form.submit());
}
