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
    highlight();
    history.replaceState(null, "", url);
    const heading = document.querySelector("main h1");
    if (heading) heading.textContent = box.value.trim() || "Everything known";
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
};

// Titles of hits stay whole; the words that were searched for are marked over them.
const highlight = () => {
  if (!CSS.highlights) return;
  const ranges = [];
  const words = (box.value.match(/[\p{L}\p{N}_]{3,}/gu) ?? []).map((word) => word.toLowerCase());
  const stems = words.map((word) => word.slice(0, Math.max(4, word.length - 2)));
  for (const link of stems.length ? results.querySelectorAll("article a") : []) {
    const texts = document.createTreeWalker(link, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      for (const match of text.data.matchAll(/[\p{L}\p{N}_]+/gu)) {
        if (!stems.some((stem) => match[0].toLowerCase().startsWith(stem))) continue;
        const range = new Range();
        range.setStart(text, match.index);
        range.setEnd(text, match.index + match[0].length);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set("hit", new Highlight(...ranges));
};

if (form && box && results) {
  highlight();
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  if (!box.value) box.focus();
}
