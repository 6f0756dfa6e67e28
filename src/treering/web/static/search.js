// Hits while you type, on the page that shows them. The server makes the HTML, as for any page.
const form = document.getElementById("search");
const box = document.getElementById("q");
const results = document.getElementById("results");
const PAUSE = 120;

let timer = 0;
let asked = null;

const address = () => {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    if (value) url.searchParams.append(name, value);
  }
  return url;
};

const ask = async () => {
  asked?.abort();
  asked = new AbortController();
  const url = address();
  const part = new URL(url);
  part.searchParams.set("part", "1");
  try {
    const answer = await fetch(part, { signal: asked.signal, credentials: "same-origin" });
    if (!answer.ok) return;
    results.innerHTML = await answer.text();
    history.replaceState(null, "", url);
    const heading = document.querySelector("main h1");
    if (heading) heading.textContent = box.value.trim() || "Everything known";
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
};

if (form && box && results) {
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  if (!box.value) box.focus();
}
