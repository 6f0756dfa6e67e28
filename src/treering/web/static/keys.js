// By key: / to the box, j and k through a list, Enter opens; on Review y keeps and x forgets.
const box = document.getElementById("q");
let at = null;

const hits = () => [...document.querySelectorAll("[data-hit]")];

const move = (step) => {
  const all = hits();
  if (!all.length) return;
  const next = all[Math.min(all.length - 1, Math.max(0, all.indexOf(at) + step))];
  at?.classList.remove("is-at");
  at = next;
  at.classList.add("is-at");
  at.querySelector("a, button")?.focus({ preventScroll: true });
  at.scrollIntoView({ block: "nearest" });
};

const press = (selector) => {
  const card = at?.matches("[data-card]") ? at : null;
  card?.querySelector(selector)?.click();
};

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
