'use strict';
// Renderer, light, ground and camera.
const SLOW = 40, COARSEST = 0.5;  // ms between frames; part of the screen's resolution
const STILL = 250;  // ms without a change after which the image is rendered at full quality

class Stage {
  constructor(canvas, scene) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !quality.software, alpha: true });
    this.renderer.shadowMap.enabled = !quality.software;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.world = new THREE.Scene();
    this.size = scene.size;
    this.up = new THREE.Vector3(...scene.up).normalize();
    this.middle = new THREE.Vector3(...scene.middle);
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01 * this.size, 60 * this.size);
    this.camera.up.copy(this.up);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => { this.stale = true; });
    this.lights();
    this.ground(scene.low);
    this.resize();
    this.look('iso');
    window.addEventListener('resize', () => this.resize());
  }

  lights() {
    const sun = new THREE.DirectionalLight('#fff6e8', 2.6), reach = 1.1 * this.size, side = this.axes();
    sun.position.copy(this.middle).addScaledVector(this.up, 1.9 * this.size)
      .addScaledVector(side[0], 0.8 * this.size).addScaledVector(side[1], -0.9 * this.size);
    sun.target.position.copy(this.middle);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.05 * this.size, far: 6 * this.size });
    sun.shadow.normalBias = 0.004 * this.size;
    sun.shadow.radius = 5;
    const sky = new THREE.HemisphereLight('#f4f8ff', '#9fa9b6', 1.7);
    sky.position.copy(this.up);
    const fill = new THREE.DirectionalLight('#dbe8ff', 0.8);
    fill.position.copy(this.middle).addScaledVector(side[0], -2 * this.size).addScaledVector(side[1], 0.5 * this.size);
    this.world.add(sun, sun.target, sky, fill);
  }

  // Two directions in the plane of the ground.
  axes() {
    const first = Math.abs(this.up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    first.addScaledVector(this.up, -first.dot(this.up)).normalize();
    return [first, new THREE.Vector3().crossVectors(this.up, first)];
  }

  ground(low) {
    const step = 10 ** Math.floor(Math.log10(this.size / 2)), half = Math.ceil(1.3 * this.size / step), group = new THREE.Group();
    const grid = new THREE.GridHelper(2 * half * step, 2 * half, '#9fb0c3', '#c3cedb');
    grid.material.transparent = true;
    grid.material.opacity = 0.5;
    const floor = new THREE.Mesh(new THREE.CircleGeometry(0.9 * this.size, 40), new THREE.ShadowMaterial({ opacity: 0.2 }));
    floor.visible = !quality.software;  // it shows shadows only
    floor.rotation.x = -Math.PI / 2;
    floor.receiveShadow = true;
    group.add(grid, floor);
    group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up);
    group.position.copy(this.middle).addScaledVector(this.up, low - 0.1 * this.size - this.middle.dot(this.up));
    this.world.add(group);
    this.world.fog = new THREE.Fog('#e3eaf2', 2.2 * this.size, 4.2 * this.size);
    this.floor = group;
  }

  look(from) {
    const [a, b] = this.axes(), direction = new THREE.Vector3();
    if (from === 'iso') direction.addScaledVector(a, 0.75).addScaledVector(b, -1).addScaledVector(this.up, 0.62);
    else if (from === 'front') direction.addScaledVector(b, -1);
    else if (from === 'side') direction.copy(a);
    else direction.copy(this.up).addScaledVector(b, -1e-3);
    const narrow = Math.min(this.camera.aspect, 1.25);
    this.controls.target.copy(this.middle);
    this.camera.position.copy(this.middle).addScaledVector(direction.normalize(), 2.3 * this.size / narrow);
    this.controls.update();
    this.stale = true;
  }

  resize() {
    const width = window.innerWidth, height = window.innerHeight;
    this.pace = 1;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }

  // Fraction of the screen's resolution.
  sharpness(part) {
    if (part === this.part) return;
    this.part = part;
    this.renderer.setPixelRatio(part * Math.min(window.devicePixelRatio || 1, 2));
  }

  // Reduces the resolution of moving images if frames take too long.
  keepPace(milliseconds) {
    this.slow = milliseconds > SLOW ? (this.slow || 0) + 1 : 0;
    if (this.slow < 5 || this.pace <= COARSEST) return;
    this.slow = 0;
    this.pace = Math.max(COARSEST, this.pace - 0.25);
  }

  // Renders changes at once, and a still image once more at full quality.
  draw(now) {
    if (!this.stale && (this.fine || now - this.changed < STILL)) return;
    this.fine = !this.stale;
    if (this.stale) this.changed = now;
    this.stale = false;
    this.sharpness(this.fine ? quality.finest : this.pace);
    this.renderer.render(this.world, this.camera);
  }
}
