'use strict';
// Rendering quality. Without a graphics card the processor renders, about a hundred times slower: then surfaces have
// fewer faces and simpler light, without shadows.
const quality = (() => {
  const renderer = () => {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) return '';  // the page reports it when it renders
    const about = gl.getExtension('WEBGL_debug_renderer_info');
    const name = gl.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    const end = gl.getExtension('WEBGL_lose_context');
    if (end) end.loseContext();
    return String(name);
  };
  const software = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer());
  // Number of faces around a cylinder or sphere.
  const faces = (count) => (software ? Math.max(8, Math.round(count / 2)) : count);
  const material = ({ roughness, metalness, ...about }) => (software
    ? new THREE.MeshLambertMaterial(about) : new THREE.MeshStandardMaterial({ roughness, metalness, ...about }));
  // Pixels of a still image per pixel of the screen: software rendering has no other smoothing of edges.
  const finest = software ? 2 : 1;
  // ms between updates of clock, slider and plot during playback: they take longer than the image.
  const pause = software ? 150 : 0;
  return { software, faces, material, finest, pause };
})();
