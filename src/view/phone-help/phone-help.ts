// The lazy chunk of what a payer needs only after a click: saving the QR, and help where a bank's app did not open.
export { appLaunchHelp } from './app-launch-help.ts';
export { saveQr } from './save-qr.ts';
