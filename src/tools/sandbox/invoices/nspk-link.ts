import { hash } from 'node:crypto';
import { toMinorUnits } from '../../../service-api.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** The number of a bank in the payment system. No real bank has this number. */
const memberId = '100000999999';

/** The code in an invoice's link: `AD`, which means a link for one payment, and 30 characters. */
export function linkCode(invoiceId: string): string {
  let remainder = BigInt(`0x${hash('sha256', `link ${invoiceId}`, 'hex')}`);
  let code = 'AD';
  for (let index = 0; index < 30; index += 1) {
    code += alphabet[Number(remainder % 36n)] ?? '0';
    remainder /= 36n;
  }
  return code;
}

/**
 * A link in the format of the national payment system, such as `…/qr/AD10…?type=02&bank=…&sum=150000&cur=RUB&crc=1F2E`,
 * that leads to the sandbox's own bank. The sum is in kopecks, and is left out where the amount is not in whole kopecks.
 */
export function nspkLink(base: string, code: string, amount: string): string {
  const kopecks = toMinorUnits(amount, 2);
  const query = `type=02&bank=${memberId}${kopecks === undefined ? '' : `&sum=${kopecks}`}&cur=RUB`;
  return `${base}/qr/${code}?${query}&crc=${checksum(`${code}?${query}`)}`;
}

/** CRC-16/CCITT-FALSE as four hexadecimal digits. */
export function checksum(text: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ ((crc & 0x8000) === 0 ? 0 : 0x1021)) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
