import { isServer } from 'lit';

/** Whether the first picture is being rendered on a server. `lit` itself types it as never so. */
export const onServer: boolean = isServer;
