import { create } from 'qrcode/lib/core/qrcode.js';

export function draw(link) {
  const { size, data } = create(link, { errorCorrectionLevel: 'M' }).modules;
  let path = '';
  data.forEach((dark, index) => {
    if (dark) path += `M${index % size} ${Math.floor(index / size)}h1v1h-1z`;
  });
  return { box: `-4 -4 ${size + 8} ${size + 8}`, path };
}
