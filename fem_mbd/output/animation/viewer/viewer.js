'use strict';
// Builds the scene and updates it over time.
const floats = (text) => {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Float32Array(bytes.buffer);
};
const $ = (id) => document.getElementById(id);

// Current state: positions (n, 3) and rotation matrices (n, 9) of the nodes, interpolated between two recorded states.
class Instant {
  constructor(scene) {
    this.times = scene.times;
    this.nodes = scene.nodes;
    this.positions = floats(scene.position);
    this.quaternions = floats(scene.quaternion);
    this.place = new Float64Array(3 * this.nodes);
    this.turn = new Float64Array(9 * this.nodes);
    this.out = new Float64Array(6);
  }

  set(time) {
    let a = 0, b = this.times.length - 1;
    while (b - a > 1) { const m = (a + b) >> 1; if (this.times[m] > time) b = m; else a = m; }
    this.a = a; this.b = b;
    this.part = b > a ? Math.max(0, Math.min(1, (time - this.times[a]) / (this.times[b] - this.times[a]))) : 0;
    const n = this.nodes, f = this.part, p = this.positions, q = this.quaternions;
    for (let i = 0; i < 3 * n; i++) this.place[i] = p[3 * n * a + i] * (1 - f) + p[3 * n * b + i] * f;
    for (let k = 0; k < n; k++) {
      const i = 4 * (n * a + k), j = 4 * (n * b + k);
      const side = q[i] * q[j] + q[i + 1] * q[j + 1] + q[i + 2] * q[j + 2] + q[i + 3] * q[j + 3] < 0 ? -f : f;
      let w = q[i] * (1 - f) + q[j] * side, x = q[i + 1] * (1 - f) + q[j + 1] * side;
      let y = q[i + 2] * (1 - f) + q[j + 2] * side, z = q[i + 3] * (1 - f) + q[j + 3] * side;
      const size = Math.hypot(w, x, y, z) || 1;
      w /= size; x /= size; y /= size; z /= size;
      this.turn.set([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
        2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 9 * k);
    }
  }

  // Current row of a packed history.
  of(numbers, width) {
    for (let i = 0; i < width; i++) this.out[i] = this.number(numbers, width, i);
    return this.out;
  }

  number(numbers, width, i) {
    return numbers[this.a * width + i] * (1 - this.part) + numbers[this.b * width + i] * this.part;
  }
}

class Viewer {
  constructor(scene) {
    this.scene = scene;
    this.stage = new Stage($('picture'), scene);
    this.instant = new Instant(scene);
    this.shown = { contact: true, reaction: false, joints: true, bodies: true, ground: true };
    this.size = scene.size;
    this.arrow = 0.25 * scene.size;
    this.begin = scene.times[0];
    this.end = scene.times[scene.times.length - 1];
    this.build(scene);
    this.sections(scene);
    this.seek(this.begin);
  }

  build(scene) {
    const names = [...new Set(scene.tubes.map((t) => t.name))];
    this.tubes = scene.tubes.map((t) => new Tube(t, colours.beam(names.indexOf(t.name))));
    const bodies = scene.bodies.map((b) => solids.rider(solids.body(b), b.node, b.centre, b.axes));
    const joints = scene.joints.map((j) => solids.rider(solids.sign(j), j.node, j.at, j.axes));
    joints.push(...scene.sockets.flatMap(solids.socket), ...scene.supports.map((node) => solids.support(node, 0.05 * scene.size)));
    this.largest = {};
    for (const a of scene.arrows) {
      a.numbers = floats(a.data);
      this.largest[a.kind] = Math.max(this.largest[a.kind] || 0, a.largest);
    }
    for (const kind of Object.keys(this.largest)) this.largest[kind] = this.largest[kind] || 1;
    this.arrows = scene.arrows.map((a) => solids.arrow(a, this));
    this.moving = [...this.tubes, ...bodies, ...joints, ...this.arrows];
    this.groups = { bodies, joints };
    this.stage.world.add(...this.tubes.map((t) => t.mesh), ...[...bodies, ...joints, ...this.arrows].map((m) => m.object));
  }

  sections(scene) {
    const data = {};
    for (const s of scene.sections) if (s.data) data[s.output] = floats(s.data);
    this.quantities = scene.sections.map((s) => ({
      ...s,
      scale: colours.scale(s.low, s.high),
      value: (row) => this.instant.number(data[s.output], s.width * s.rows, row * s.width + s.column),
    }));
    this.quantity = null;
  }

  // Select another motion.
  take(k) {
    this.instant.positions = floats(this.scene.takes[k].position);
    this.instant.quaternions = floats(this.scene.takes[k].quaternion);
    this.seek(this.time);
  }

  colour(k) {
    this.quantity = k < 0 ? null : this.quantities[k];
    if (!this.quantity) for (const tube of this.tubes) tube.paint(null);
    this.seek(this.time);
  }

  show(what, on) {
    this.shown[what] = on;
    if (this.groups[what]) for (const thing of this.groups[what]) thing.object.visible = on;
    if (what === 'ground') this.stage.floor.visible = on;
    this.seek(this.time);
  }

  seek(time) {
    this.time = Math.max(this.begin, Math.min(this.end, time));
    this.instant.set(this.time);
    for (const thing of this.moving) thing.move(this.instant);
    if (this.quantity) for (const tube of this.tubes) tube.paint(this.quantity);
    this.stage.stale = true;
    if (this.onTime) this.onTime(this.time);
  }
}
