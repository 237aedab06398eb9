import { css } from 'lit';

/** Hides what only a script can do or keep up to date. A file of its own: it is no part of the browser's script. */
export const withoutScriptStyles = css`
  @media (scripting: none) {
    button,
    .sr,
    .tail,
    .time,
    .wait {
      display: none !important;
    }
  }
`;
