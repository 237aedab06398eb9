import { create } from 'qrcode/lib/core/qrcode.js';

export function drawQr(link) {
  const { size, data } = create(link, { errorCorrectionLevel: 'M' }).modules;
  let path = '';
  data.forEach((isDark, index) => {
    if (isDark) path += `M${index % size} ${Math.floor(index / size)}h1v1h-1z`;
  });
  return { box: `-4 -4 ${size + 8} ${size + 8}`, path };
}
