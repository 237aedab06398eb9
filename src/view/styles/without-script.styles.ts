import { css } from 'lit';

/** Hides what needs a script to work or to stay true. In a separate file, because the browser's script does not include it. */
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
