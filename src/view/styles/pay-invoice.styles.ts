import { choosing } from './choosing.styles.ts';
import { controls } from './controls.styles.ts';
import { frame } from './frame.styles.ts';
import { paying } from './paying.styles.ts';
import { tokens } from './tokens.styles.ts';

/** Everything that the element wears. */
export const styles = [tokens, frame, controls, choosing, paying];
