// Remembers where each text on a canvas is drawn, in pixels of the canvas.
const texts = new Map();
{
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const size = this.measureText(text);
    const at = this.getTransform();
    const corners = [[-size.actualBoundingBoxLeft, -size.actualBoundingBoxAscent], [size.actualBoundingBoxRight, size.actualBoundingBoxDescent]]
      .map(([dx, dy]) => at.transformPoint(new DOMPoint(x + dx, y + dy)));
    const box = {text: text,
      left: Math.min(corners[0].x, corners[1].x), right: Math.max(corners[0].x, corners[1].x),
      top: Math.min(corners[0].y, corners[1].y), bottom: Math.max(corners[0].y, corners[1].y)};
    if (!texts.has(this.canvas)) texts.set(this.canvas, []);
    texts.get(this.canvas).push(box);
    draw.apply(this, arguments);
  };
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function () {
    texts.delete(this.canvas);
    clear.apply(this, arguments);
  };
}
