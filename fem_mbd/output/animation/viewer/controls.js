'use strict';
// Controls of the page: time, speed, colours, visible objects, plot.
const option = (text, value) => { const o = document.createElement('option'); o.textContent = text; o.value = value; return o; };

const startPage = () => {
  const scene = JSON.parse($('scene').textContent);
  $('title').textContent = scene.title;
  $('subtitle').textContent = scene.subtitle;
  const view = new Viewer(scene), span = view.end - view.begin;
  let playing = false, last = 0, speed = 1, plot = null, told = 0;

  const play = (on) => {
    playing = on && span > 0;
    last = told = 0;
    $('play').classList.toggle('on', playing);
    if (!playing) view.onTime(view.time);
  };
  const seek = (time) => view.seek(time);

  // -- selection of a mode or buckling shape
  $('takes').hidden = !scene.takes;
  if (scene.takes) {
    $('take').append(...scene.takes.map((t, k) => option(t.title, k)));
    $('take').addEventListener('change', () => view.take(Number($('take').value)));
  }

  // -- colour of beams and its legend
  $('colour').append(option('by beam', -1), ...view.quantities.map((q, k) => option(`${q.title} [${q.unit}]`, k)));
  $('colour').addEventListener('change', () => {
    view.colour(Number($('colour').value));
    $('legend').hidden = !view.quantity;
    if (!view.quantity) return;
    $('ramp').style.background = view.quantity.scale.css;
    $('low').textContent = short(view.quantity.scale.low);
    $('high').textContent = short(view.quantity.scale.high);
    $('unit').textContent = view.quantity.unit;
  });

  // -- visible objects
  const kinds = new Set(scene.arrows.map((a) => a.kind));
  const things = [['bodies', 'bodies', scene.bodies.length], ['joints', 'joints and supports', view.groups.joints.length],
    ['contact', 'contact forces', kinds.has('contact')], ['reaction', 'reactions of joints', kinds.has('reaction')], ['ground', 'ground', true]];
  for (const [what, text, there] of things) {
    if (!there) continue;
    const label = document.createElement('label'), box = document.createElement('input');
    box.type = 'checkbox'; box.checked = view.shown[what];
    box.addEventListener('change', () => view.show(what, box.checked));
    label.append(box, text);
    $('switches').append(label);
  }
  $('arrowsize').hidden = !kinds.size;
  $('arrows').addEventListener('input', () => { view.arrow = 0.25 * view.size * 10 ** Number($('arrows').value); seek(view.time); });
  for (const from of ['iso', 'front', 'side', 'top']) {
    const button = document.createElement('button');
    button.textContent = from;
    button.addEventListener('click', () => view.stage.look(from));
    $('views').append(button);
  }

  // -- time
  const speeds = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
  $('speed').append(...speeds.map((s) => option(`${s} ×`, s)));
  // a whole run in about twelve seconds, a period of a mode in two
  const lasting = scene.takes ? 2 : 12, off = (s) => Math.abs(Math.log(s * lasting / (span || 1)));
  speed = speeds.reduce((a, b) => (off(b) < off(a) ? b : a));
  $('speed').value = speed;
  $('speed').addEventListener('change', () => { speed = Number($('speed').value); });
  $('play').addEventListener('click', () => { if (!playing && view.time >= view.end) seek(view.begin); play(!playing); });
  $('time').addEventListener('input', () => { play(false); seek(view.begin + span * Number($('time').value)); });
  window.addEventListener('keydown', (event) => {
    if (event.target.tagName === 'SELECT') return;
    if (event.code === 'Space') { event.preventDefault(); $('play').click(); }
    const step = { ArrowLeft: -0.005, ArrowRight: 0.005 }[event.code];
    if (step && event.target.type !== 'range') { play(false); seek(view.time + step * span); }
  });

  // -- plot
  if (scene.curves.length) {
    for (const curve of scene.curves) for (const line of curve.lines) { line.time = floats(line.time); line.values = floats(line.values); }
    $('history').hidden = false;
    $('curve').append(...scene.curves.map((c, k) => option(`${c.title} [${c.unit}]`, k)));
    plot = new Plot($('plot'), scene.curves, [view.begin, view.end], (time) => { play(false); seek(time); });
    $('curve').addEventListener('change', () => { plot.choose(Number($('curve').value)); seek(view.time); });
  }
  view.onTime = (time) => {
    const now = performance.now();
    if (playing && now - told < quality.pause) return;
    told = now;
    $('time').value = span > 0 ? (time - view.begin) / span : 0;
    $('clock').textContent = scene.takes ? `${Math.round(360 * time)}°` : `${time.toPrecision(4)} s`;
    if (plot) { plot.draw(time); $('reading').textContent = plot.reading(time); }
  };

  const given = /[#&]t=([-+.0-9e]+)/.exec(window.location.hash);
  seek(given ? Number(given[1]) : view.begin);
  const frame = (now) => {
    if (playing) {
      if (last) {
        view.stage.keepPace(now - last);
        seek(view.time >= view.end ? view.begin : view.time + speed * (now - last) / 1000);
      }
      last = now;
    }
    view.stage.draw(now);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  if (!given) play(true);
  window.femMbd = { view, seek, play, get playing() { return playing; } };
};

try {
  startPage();
} catch (error) {
  $('trouble').hidden = false;
  $('trouble').textContent = `This browser cannot show the picture: ${error.message}. It has to have WebGL 2 switched on.`;
  throw error;
}
