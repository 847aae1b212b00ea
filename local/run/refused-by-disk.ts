import { statfs } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';

/** What dynalite's store calls to read and write. */
const calls = ['_get', '_put', '_del', '_batch'] as const;

/** Milliseconds: a quarter of an hour. A store whose disk was full may refuse every write until it is opened again,
 *  also when there is room: then the process ends after all, and whoever started it starts the next one. While there is
 *  none, the next one could not start, and nothing would pause. */
const failAtMostMs = 15 * 60_000;
/** Room on the disk without which no store can be opened: it begins with a few files. */
const roomBytes = 16 * 2 ** 20;

const type = 'com.amazonaws.dynamodb.v20120810#InternalServerError';

/** Has the table answer what its disk refuses, above all when it is full: dynalite throws such an error where nobody
 *  can catch it, and with the process all pausing would end. As it is answered, the client takes it for a trouble of
 *  DynamoDB: pools are paused and resumed, and the rest is tried again. */
export function answerForDisk(): void {
  let failingSince: number | undefined;
  for (const call of calls) {
    const plain: (...args: readonly unknown[]) => Promise<unknown> = Reflect.get(ClassicLevel.prototype, call);
    if (plain.name !== call) continue;
    const named = {
      async answering(this: ClassicLevel, ...args: readonly unknown[]): Promise<unknown> {
        try {
          const done = await Reflect.apply(plain, this, args);
          if (call !== '_get') failingSince = undefined;
          return done;
        } catch (cause) {
          const nowMs = systemRuntime.clock().getTime();
          failingSince ??= nowMs;
          const error = cause instanceof Error ? cause : new Error(String(cause));
          if (nowMs - failingSince > failAtMostMs && (await hasRoom(this.location))) throw error;
          throw Object.assign(error, { statusCode: 500, body: { __type: type, message: error.message } });
        }
      },
    };
    Reflect.set(ClassicLevel.prototype, call, named.answering);
  }
}

async function hasRoom(folder: string): Promise<boolean> {
  const disk = await statfs(folder).catch(() => undefined);
  return disk === undefined || disk.bavail * disk.bsize > roomBytes;
}
