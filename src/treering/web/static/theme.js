// Light or dark: as the system says, until somebody chooses.
const root = document.documentElement;
const button = document.getElementById("theme");
const system = matchMedia("(prefers-color-scheme: dark)");

const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

const show = () => {
  button.textContent = isDark() ? "Light" : "Dark";
};

try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing: the system decides.
}

if (button) {
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch {
      // It holds for this page.
    }
    show();
  });
  system.addEventListener("change", show);
  show();
}
