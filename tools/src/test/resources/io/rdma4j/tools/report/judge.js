// Judges what record.js has heard of and where the elements of the page lie, and writes the verdict into the page.
addEventListener("load", () => setTimeout(() => {
  const faults = [];
  const touch = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  let labels = 0;
  for (const [canvas, boxes] of texts) {
    boxes.forEach((box, i) => {
      if (box.text === "") return;
      labels++;
      if (box.left < 0 || box.top < 0 || box.right > canvas.width || box.bottom > canvas.height) faults.push("cut: " + box.text);
      boxes.slice(i + 1).forEach(other => { if (other.text !== "" && touch(box, other)) faults.push(box.text + " touches " + other.text); });
    });
  }
  const charts = document.querySelectorAll("figure.chart").length;
  if (texts.size !== charts) faults.push(charts + " charts, " + texts.size + " drawn");
  document.querySelectorAll(".u-legend").forEach(legend => {
    const box = legend.getBoundingClientRect();
    const canvas = legend.parentElement.querySelector("canvas").getBoundingClientRect();
    if (touch(box, canvas)) faults.push("a legend lies over its chart");
    const colours = [...legend.querySelectorAll(".u-marker")].map(mark => mark.style.border + mark.style.background).filter(c => c);
    if (new Set(colours).size !== colours.length) faults.push("two curves of one colour");
  });
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) faults.push("the page is " + wide + " pixels too wide");
  document.querySelectorAll("h1, h2, h3, dd, .bar span, .u-legend *").forEach(element => {
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline") faults.push("cut: " + element.textContent);
  });
  const verdict = document.createElement("pre");
  verdict.id = "verdict";
  verdict.textContent = (labels >= 17 ? "17 labels at least, " : labels + " labels, ") + faults.length + " faults"
    + faults.map(fault => "\n" + fault).join("");
  document.body.append(verdict);
}, 200));
