import { css } from './css.ts';

/** What gives way where few letters fit into a line: distances, pictures, and the size of what must not break. */
export const largeFontStyles = css`
  /* With a large font, words have more room than what is around them. */
  @container (inline-size < 14em) {
    button,
    a,
    dl > div,
    [part='method'] {
      padding-inline: 0.25em;
    }

    .due {
      margin: 0;
    }

    /* A line of its own. */
    .time {
      float: none;
    }

    small,
    .status {
      font-size: min(0.875em, 12cqi);
    }

    [type='radio'] {
      font-size: min(1em, 6cqi);
    }

    dt {
      grid-column: 1 / -1;
    }

    [part~='copy'] {
      grid-row-start: 2;
    }

    h4 {
      font-size: 1em;
    }

    label .icon {
      display: none;
    }
  }
`;
