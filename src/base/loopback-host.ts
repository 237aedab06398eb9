/** Matches the hosts of URLs that mean this machine: `localhost`, a subdomain of it, 127.0.0.0/8, and `[::1]`. */
export const loopbackHost = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;
