import type { Sleep } from '../../functions/ports/time.ts';
import type { WebHandler } from '../../functions/shell/answer.ts';
import { type RouteForReaders, readerRoute, safeHeaders } from '../../functions/status/reader-route.ts';
import type { Changes } from './changes.ts';

/** The address, relative to that of the page. */
export const statusChangesPath = 'status/changes';

/** Open pages at a time. Those beyond ask every 15 seconds, as on AWS. */
const openAtMost = 32;
/** Seconds between two looks for something new, of real time: that pages ask once a second is enough. */
const lookEverySeconds = 1;
/** Seconds without anything new after which the version is sent again: a page that hears nothing for 15 seconds asks by
 *  itself. */
const quietAtMostSeconds = 10;

interface Reader {
  readonly stream: ReadableStreamDefaultController<Uint8Array>;
  sent: string;
  quietSeconds: number;
}

interface StatusChangesPorts extends RouteForReaders {
  readonly changes: Changes;
  /** In real time, whatever that of the clusters is; keeps no process alive. */
  readonly sleep: Sleep;
}

/** `GET /status/changes`, server-sent events, for those who may read the page: the version of what the page shows, as
 *  soon as there is another. It says nothing of any cluster; who hears it asks for the page. */
export function statusChanges(ports: StatusChangesPorts): WebHandler {
  const { changes, sleep } = ports;
  const readers = new Set<Reader>();
  let isLooking = false;

  /** Until nobody is left. */
  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    while (readers.size > 0) {
      await sleep(lookEverySeconds * 1000);
      const version = changes.version();
      for (const reader of readers) {
        reader.quietSeconds += lookEverySeconds;
        if (version !== reader.sent || reader.quietSeconds >= quietAtMostSeconds) tell(reader, version);
      }
    }
    isLooking = false;
  }

  function streamOfVersions(): ReadableStream<Uint8Array> {
    let reader: Reader | undefined;
    return new ReadableStream({
      start(stream) {
        reader = { stream, sent: '', quietSeconds: 0 };
        readers.add(reader);
        tell(reader, changes.version());
        void look();
      },
      cancel() {
        if (reader !== undefined) readers.delete(reader);
      },
    });
  }

  return readerRoute(ports, async ({ method }) => {
    const headers = { ...safeHeaders, 'content-type': 'text/event-stream' };
    if (method === 'HEAD') return new Response(null, { headers });
    if (readers.size >= openAtMost)
      return new Response('too many open pages\n', { status: 503, headers: { ...safeHeaders, 'retry-after': '15' } });
    return new Response(streamOfVersions(), { headers });
  });
}

/** Who does not read is told later: only the newest version counts. */
function tell(reader: Reader, version: string): void {
  if ((reader.stream.desiredSize ?? 0) <= 0) return;
  reader.stream.enqueue(new TextEncoder().encode(`data: ${version}\n\n`));
  reader.sent = version;
  reader.quietSeconds = 0;
}
