// Puts pictures (WebP) together to an animation (WebP), and takes one apart. The format: RFC 9649.

/** A picture that is drawn over the one before, at its place in the animation. */
export interface AnimationFrame {
  /** Pixels from the left and upper edge. Both are even. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** How long it is shown, in milliseconds. */
  readonly duration: number;
  /** A WebP file of one picture. */
  readonly picture: Buffer;
}

export interface Animation {
  readonly width: number;
  readonly height: number;
  readonly frames: readonly AnimationFrame[];
}

/** How often the animation is played: then its last picture stays. Who reads beside it is not disturbed for longer. */
const repetitions = 3;

interface Chunk {
  readonly name: string;
  readonly data: Buffer;
}

function writeChunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

function readChunks(data: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < data.length;) {
    const length = data.readUInt32LE(at + 4);
    chunks.push({ name: data.toString('latin1', at, at + 4), data: data.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

const fileOf = (chunks: Buffer): Buffer => writeChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), chunks]));
/** The chunks of a file, after `RIFF`, its length and `WEBP`. */
const chunksOf = (file: Buffer): readonly Chunk[] => readChunks(file.subarray(12));

/** Numbers of three bytes each. */
function threeBytesEach(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(3 * numbers.length);
  numbers.forEach((number, index) => bytes.writeUIntLE(number, 3 * index, 3));
  return bytes;
}

/** Neither mixed with what is below it, nor removed after its time. */
const frameFlags = Buffer.from([2]);
const animationFlag = Buffer.from([2, 0, 0, 0]);

function writeFrame({ left, top, width, height, duration, picture }: AnimationFrame): Buffer {
  const pixels = chunksOf(picture).filter(({ name }) => name === 'VP8 ' || name === 'VP8L');
  const place = threeBytesEach(left / 2, top / 2, width - 1, height - 1, duration);
  return writeChunk(
    'ANMF',
    Buffer.concat([place, frameFlags, ...pixels.map(({ name, data }) => writeChunk(name, data))]),
  );
}

/** Returns the file of an animation. */
export function writeAnimation({ width, height, frames }: Animation): Buffer {
  const size = threeBytesEach(width - 1, height - 1);
  const background = Buffer.alloc(4, 255);
  return fileOf(
    Buffer.concat([
      writeChunk('VP8X', Buffer.concat([animationFlag, size])),
      writeChunk('ANIM', Buffer.concat([background, Buffer.from([repetitions, 0])])),
      ...frames.map(writeFrame),
    ]),
  );
}

function readFrame(data: Buffer): AnimationFrame {
  const numberAt = (index: number): number => data.readUIntLE(3 * index, 3);
  return {
    left: 2 * numberAt(0),
    top: 2 * numberAt(1),
    width: numberAt(2) + 1,
    height: numberAt(3) + 1,
    duration: numberAt(4),
    picture: fileOf(data.subarray(16)),
  };
}

/** Reads what `writeAnimation` wrote; undefined for a file that is no animation. */
export function readAnimation(file: Buffer): Animation | undefined {
  const chunks = chunksOf(file);
  const header = chunks.find(({ name }) => name === 'VP8X');
  if (header === undefined) return undefined;
  return {
    width: header.data.readUIntLE(4, 3) + 1,
    height: header.data.readUIntLE(7, 3) + 1,
    frames: chunks.filter(({ name }) => name === 'ANMF').map(({ data }) => readFrame(data)),
  };
}
