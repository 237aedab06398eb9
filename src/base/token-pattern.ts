/**
 * A token that is sent in a header: visible ASCII without spaces. RFC 6750 allows no quotes in it, which a file of variables may have
 * left around it.
 */
export const tokenPattern = /^[\x21\x23-\x26\x28-\x7e]+$/;
