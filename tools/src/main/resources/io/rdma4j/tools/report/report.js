// Draws each figure.chart from its data-spec: {x, xTitle, y, yTitle, names, data}; see Chart.java.
(function () {
  "use strict";
  // Eight colours that people with colour blindness can tell apart, on white and on black.
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f"];
  const FONT = "12px system-ui, sans-serif";
  const LABEL_ROOM = 64; // pixels from one label of the horizontal axis to the next

  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function bytes(value) {
    for (const [unit, name] of [[2 ** 30, "G"], [2 ** 20, "M"], [2 ** 10, "K"]]) {
      if (value >= unit) return value / unit + name;
    }
    return String(value);
  }

  const number = value => value == null ? "" : Number(value.toPrecision(4)).toLocaleString("en", {maximumFractionDigits: 6});
  const short = value => value == null ? "" : value >= 1e3 ? value.toLocaleString("en", {notation: "compact"}) : number(value);

  // Percentile p stands at 1 / (1 - p): 0 % at 1, 90 % at 10, 99 % at 100.
  const percentile = value => {
    const share = 100 * (1 - 1 / value);
    return Number(share.toFixed(Math.max(0, Math.round(Math.log10(value)) - 1))) + "%";
  };

  // Every k-th power of the base between min and max, so that the labels do not touch.
  function powers(base) {
    return (u, axis, min, max) => {
      const all = [];
      for (let e = Math.floor(Math.log(min) / Math.log(base) + 1e-9); base ** e <= max * (1 + 1e-9); e++) {
        if (base ** e >= min * (1 - 1e-9)) all.push(base ** e);
      }
      const horizontal = axis === 0;
      const room = horizontal ? u.bbox.width / devicePixelRatio : u.bbox.height / devicePixelRatio;
      const step = Math.max(1, Math.ceil(all.length * (horizontal ? LABEL_ROOM : 22) / room));
      return all.filter((_, i) => i % step === 0);
    };
  }

  function scale(kind) {
    switch (kind) {
      case "bytes": return {time: false, distr: 3, log: 2, range: (u, min, max) => min === max ? [min / 2, max * 2] : [min, max]};
      case "percentile": return {time: false, distr: 3, log: 10, range: (u, min, max) => [1, Math.max(10, max)]};
      case "logarithmic": return {time: false, distr: 3, log: 10,
        range: (u, min, max) => min == null || max == null ? [1, 10]
          : [10 ** Math.floor(Math.log10(min)), 10 ** (Math.floor(Math.log10(max)) + 1)]};
      default: return {time: false, range: (u, min, max) => [Math.min(0, min ?? 0), (max || 1) * 1.08]};
    }
  }

  function axis(kind, title, size) {
    const common = {label: title, labelSize: 26, size: size, font: FONT, labelFont: FONT, stroke: css("--text"),
      grid: {stroke: css("--line"), width: 1}, ticks: {stroke: css("--line"), width: 1}};
    switch (kind) {
      case "bytes": return {...common, splits: powers(2), filter: (u, splits) => splits, values: (u, splits) => splits.map(bytes)};
      case "percentile": return {...common, splits: powers(10), filter: (u, splits) => splits, values: (u, splits) => splits.map(percentile)};
      case "logarithmic": return {...common, splits: powers(10), filter: (u, splits) => splits, values: (u, splits) => splits.map(short)};
      default: return {...common, values: (u, splits) => splits.map(short)};
    }
  }

  function draw(figure) {
    const spec = JSON.parse(figure.dataset.spec);
    const data = spec.data.map(values => values.map(value => value === "" ? null : value));
    const reading = {bytes: bytes, percentile: percentile}[spec.x] ?? number;
    const options = {
      width: figure.clientWidth,
      height: 380,
      padding: [16, 32, 0, 0],
      scales: {x: scale(spec.x), y: scale(spec.y)},
      axes: [axis(spec.x, spec.xTitle, 34), axis(spec.y, spec.yTitle, 64)],
      cursor: {drag: {x: true, y: false}},
      series: [{label: spec.xTitle, value: (u, value) => value == null ? "–" : reading(value)}].concat(
        spec.names.map((name, i) => ({
          label: name, stroke: COLOURS[i], width: 2, spanGaps: true,
          points: {show: data[0].length <= 40, size: 5},
          value: (u, value) => value == null ? "–" : number(value)
        })))
    };
    const plot = new uPlot(options, data, figure);
    addEventListener("resize", () => plot.setSize({width: figure.clientWidth, height: options.height}));
  }

  document.querySelectorAll("figure.chart").forEach(draw);
})();
