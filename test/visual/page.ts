// A state of the gallery in a font that comes with the project, so that every machine draws the same letters.
import '../../src/pay-invoice.ts';
import { create } from '../../demo/dom.ts';
import { states, transportOf } from '../../demo/gallery-states.ts';
import { playState } from '../../demo/play-state.ts';
// What the widget loads when it needs it is here before, so that no picture waits for it.
import '../../src/view/qr/qr-code.ts';

declare global {
  /** Shows a state, as a payer comes to it. */
  var show: (name: string, theme: 'light' | 'dark') => void;
}

globalThis.show = (name, theme) => {
  const state = states[name];
  if (state === undefined) throw new Error(`the gallery has no ${name}`);
  const widget = create('pay-invoice', {
    checkout: 'chk_gallery',
    phoneUrl: state.phoneUrl ?? '',
    theme,
    transport: transportOf(state),
  });
  playState(widget, state);
  document.documentElement.style.colorScheme = theme;
  document.body.replaceChildren(widget);
};
