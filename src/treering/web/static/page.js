// What is livelier than plain pages. Everything works without it.
import "./theme.js";
import "./search.js";
import "./keys.js";
import "./copy.js";
