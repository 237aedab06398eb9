import { isServer } from 'lit';

/** Whether the widget is being rendered on a server, where there is no DOM. `lit` types its constant as always false. */
export const isServerRendering: boolean = isServer;
