import { css } from 'lit';

/** Hides what works or stays correct only with a script. In a separate file, because the browser's script omits it. */
export const withoutScriptStyles = css`
  @media (scripting: none) {
    button,
    .sr,
    .tail,
    .time,
    progress,
    .status {
      display: none !important;
    }
  }
`;
