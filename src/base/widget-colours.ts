/** The accent where the shop has no colour of its own, in the light theme. */
export const defaultAccent = '#3451d1';

/**
 * The colours of the pages around the widget, in the light and in the dark theme: the widget's own, by the names of its custom
 * properties. The pay page, the trial's page, the operator's page and the sandbox's bank have them.
 */
export const widgetColours = [
  ['surface', '#fff', '#171a21'],
  ['text', '#141824', '#f1f3f8'],
  ['muted', '#586174', '#a3adbf'],
  ['border', '#e1e5ec', '#313744'],
  ['success', '#0f7448', '#63d8a0'],
  ['warning', '#7a4b00', '#f2c063'],
  ['danger', '#b3261e', '#ff9c94'],
  ['accent', defaultAccent, '#9db0ff'],
  ['accent-text', '#fff', '#000'],
] as const;
