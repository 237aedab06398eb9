/** A network and a processor, slowed down by the DevTools protocol. */
export interface Profile {
  readonly id: ProfileId;
  readonly title: string;
  /** The delay before each response's first byte, in ms. */
  readonly latency: number;
  /** In bytes a second. */
  readonly downloadThroughput: number;
  /** In bytes a second. */
  readonly uploadThroughput: number;
  /** How many times slower the processor is. */
  readonly cpuRate: number;
}

export const profileIds = ['M', 'S'] as const;
export type ProfileId = (typeof profileIds)[number];

export const profiles: Readonly<Record<ProfileId, Profile>> = {
  M: {
    id: 'M',
    title: 'M, Lighthouse’s mobile profile',
    latency: 150,
    downloadThroughput: 200_000,
    uploadThroughput: 93_750,
    cpuRate: 4,
  },
  S: {
    id: 'S',
    title: 'S, "Slow 4G" of Chrome’s DevTools',
    latency: 562.5,
    downloadThroughput: 180_000,
    uploadThroughput: 84_375,
    cpuRate: 4,
  },
};
