import { css } from 'lit';

/** The native dialog around a checkout, and the button that closes it. */
export const dialog = css`
  dialog {
    box-sizing: border-box;
    width: min(32rem, 100vw);
    max-width: 100vw;
    max-height: 100vh;
    max-height: 100dvh;
    margin: auto;
    padding: 0.75rem;
    border: 0;
    background: none;
    overscroll-behavior: contain;
    scroll-padding-block-start: 4rem; /* the button stays above what is scrolled */
  }

  dialog::backdrop {
    background: rgb(10 14 24 / 55%);
  }

  button {
    position: sticky;
    z-index: 1;
    inset-block-start: 0;
    display: block;
    min-width: 2.75rem;
    min-height: 2.75rem;
    margin-block: 0 0.5rem;
    margin-inline: auto 0;
    padding: 0 1rem;
    border: 0;
    border-radius: 1.375rem;
    font: inherit;
    color: #141824;
    color: light-dark(#141824, #f1f3f8);
    background: #fff;
    background: light-dark(#fff, #2a2f3a);
    cursor: pointer;
  }

  button:focus-visible {
    outline: 3px solid light-dark(#3451d1, #9db0ff);
    outline-offset: 2px;
  }
`;
