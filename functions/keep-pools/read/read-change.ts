import type { PushSeen } from '../../../events/index.ts';
import type { Concerned } from '../../core/routing/concerned.ts';
import { parseFiles } from '../../core/routing/manifest-file.ts';
import type { ParsedFiles } from '../../core/routing/parsed-files.ts';
import { pushOf } from '../../core/routing/push.ts';
import { unique } from '../../core/text/unique.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { whyUnread } from './why-unread.ts';

/** Starts reading the files that a push changes; undefined if no reader is configured.
 *  Never rejects: what could not be read is unknown, and unknown counts as a match. */
export function readChange(
  data: PushSeen['data'],
  concerned: readonly Concerned[],
  { changes, logger }: KeepPorts,
): Promise<ParsedFiles> | undefined {
  if (changes === undefined) return undefined;
  const { files } = pushOf(data);
  const folders = concerned.flatMap(({ route }) => route.sources.map(({ path }) => path));
  return changes.repositories
    .readChange({
      fullName: data.repository.fullName,
      before: data.before,
      after: data.after,
      paths: files.kind === 'known' ? files.paths : undefined,
      folders: unique(folders),
    })
    .then(({ files: read, ...rest }) => ({ ...rest, files: parseFiles(read, changes.manifestReader()) }))
    .catch((cause: unknown) => {
      const why = whyUnread(cause, logger);
      logger.warn('the changed files could not be read', { repository: data.repository.fullName, why });
      return unread(why);
    });
}

/** The changed files if read in time, else none of them: pools must not wait any longer. */
export async function withinTime(
  reading: Promise<ParsedFiles>,
  seconds: number,
  { sleep }: KeepPorts,
): Promise<ParsedFiles> {
  const late = sleep(seconds * 1000).then(() => unread(`the changed files were not read within ${seconds} s`));
  return Promise.race([reading, late]);
}

function unread(why: string): ParsedFiles {
  return { files: [], tools: [], incomplete: why };
}
