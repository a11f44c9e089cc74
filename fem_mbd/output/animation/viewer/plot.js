'use strict';
// Plot of histories over time, with a line at the current time.
class Plot {
  constructor(canvas, curves, range, seek) {
    this.canvas = canvas;
    this.range = range;
    this.curves = curves;
    this.colours = ['#1d5fa8', '#d2642a', '#2f8f5b', '#8a4fa3', '#b08d1a', '#3b97a8', '#a33b5c', '#64748b', '#444'];
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      seek(range[0] + (range[1] - range[0]) * Math.max(0, Math.min(1, (event.clientX - box.left - this.left) / this.width)));
    };
    canvas.addEventListener('pointerdown', (event) => { canvas.setPointerCapture(event.pointerId); at(event); });
    canvas.addEventListener('pointermove', (event) => { if (event.buttons) at(event); });
    this.choose(0);
  }

  choose(k) {
    this.curve = this.curves[k];
    this.low = Infinity; this.high = -Infinity;
    for (const { values } of this.curve.lines) for (const y of values) { this.low = Math.min(this.low, y); this.high = Math.max(this.high, y); }
    if (!(this.high > this.low)) { const c = Number.isFinite(this.low) ? this.low : 0; this.low = c - 1; this.high = c + 1; }
    this.still = null;
  }

  x(t) { return this.left + this.width * (t - this.range[0]) / (this.range[1] - this.range[0] || 1); }

  y(v) { return this.top + this.height * (1 - (v - this.low) / (this.high - this.low)); }

  ticks() {
    const span = this.high - this.low, raw = span / 4, step = 10 ** Math.floor(Math.log10(raw));
    const nice = [1, 2, 5, 10].map((m) => m * step).find((s) => s >= raw), out = [];
    for (let k = Math.ceil(this.low / nice); k * nice <= this.high + 1e-9 * span; k++) out.push(k * nice);
    return out;
  }

  draw(time) {
    const ratio = window.devicePixelRatio || 1, w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (!w) return;
    if (!this.still || this.still.width !== Math.round(w * ratio)) this.background(w, h, ratio);
    this.canvas.width = this.still.width; this.canvas.height = this.still.height;
    const pen = this.canvas.getContext('2d');
    pen.drawImage(this.still, 0, 0);
    pen.scale(ratio, ratio);
    pen.strokeStyle = '#1f2a37';
    pen.beginPath(); pen.moveTo(this.x(time), this.top); pen.lineTo(this.x(time), this.top + this.height); pen.stroke();
    this.curve.lines.forEach((line, k) => {
      pen.fillStyle = this.colours[k % this.colours.length];
      pen.beginPath(); pen.arc(this.x(time), this.y(valueAt(line, time)), 3.2, 0, 7); pen.fill();
    });
  }

  background(w, h, ratio) {
    this.still = document.createElement('canvas');
    this.still.width = Math.round(w * ratio); this.still.height = Math.round(h * ratio);
    const pen = this.still.getContext('2d');
    pen.scale(ratio, ratio);
    pen.font = '11px system-ui, sans-serif';
    const labels = this.ticks().map((v) => [v, short(v)]);
    this.left = 8 + Math.max(20, ...labels.map(([, text]) => pen.measureText(text).width));
    this.top = 18; this.width = w - this.left - 10; this.height = h - this.top - 18;
    pen.strokeStyle = '#d5dce5'; pen.fillStyle = '#64748b'; pen.textAlign = 'right'; pen.textBaseline = 'middle';
    for (const [v, text] of labels) {
      pen.beginPath(); pen.moveTo(this.left, this.y(v)); pen.lineTo(this.left + this.width, this.y(v)); pen.stroke();
      pen.fillText(text, this.left - 5, this.y(v));
    }
    pen.textBaseline = 'alphabetic';
    pen.textAlign = 'left'; pen.fillText(short(this.range[0]), this.left, h - 4);
    pen.textAlign = 'right'; pen.fillText(`${short(this.range[1])} s`, this.left + this.width, h - 4);
    pen.textAlign = 'left';
    let at = this.left;
    this.curve.lines.forEach((line, k) => {
      pen.fillStyle = pen.strokeStyle = this.colours[k % this.colours.length];
      pen.fillText(line.label, at, 10);
      at += pen.measureText(line.label).width + 12;
      pen.lineWidth = 1.4; pen.lineJoin = 'round';
      pen.beginPath();
      line.values.forEach((v, i) => (i ? pen.lineTo(this.x(line.time[i]), this.y(v)) : pen.moveTo(this.x(line.time[i]), this.y(v))));
      pen.stroke();
    });
  }

  reading(time) {
    return this.curve.lines.slice(0, 3).map((l) => `${l.label} ${short(valueAt(l, time))}`).join('   ') + ` ${this.curve.unit}`;
  }
}

const short = (v) => {
  if (v === 0 || Math.abs(v) < 1e-300) return '0';
  const size = Math.abs(v);
  return size >= 1e5 || size < 1e-3 ? v.toExponential(1).replace('e+', 'e') : String(Number(v.toPrecision(4)));
};

const valueAt = ({ time, values }, t) => {
  let a = 0, b = time.length - 1;
  while (b - a > 1) { const m = (a + b) >> 1; if (time[m] > t) b = m; else a = m; }
  const part = b > a ? Math.max(0, Math.min(1, (t - time[a]) / (time[b] - time[a] || 1))) : 0;
  return values[a] + part * (values[b] - values[a]);
};
