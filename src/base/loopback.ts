/** Matches a URL's host that is this machine: `localhost`, a name below it, 127.0.0.0/8, or `[::1]`. */
export const loopbackHost = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;
