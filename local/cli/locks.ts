import { Misconfigured } from '../../functions/core/text/errors.ts';
import { type Command, readArgs, reasonProblems } from './command.ts';
import { outputFlag, outputHelp, outputOf } from './output.ts';
import { typedUrl, typedUrlHelp } from './status/status-flags.ts';

const help = `Shows which machines outside OpenShift may be down now, by group (docs/fleet-lock.md).

  poolkeeper locks --url https://...
  poolkeeper locks release --help

${typedUrlHelp}
${outputHelp}

Exit status: 0 = all are back in time, 1 = one is not, 2 = nothing answers, or the command line or the token is wrong.
`;

const releaseHelp = `Releases the slot of a machine that does not do so itself. Look at the machine first: an update that broke it breaks the
next one too.

  poolkeeper locks release --url https://... --group default --id ID --reason "its disk is broken"

  --url URL         address of Poolkeeper (default: POOLKEEPER_URL); the token of the group in POOLKEEPER_LOCK_TOKEN
  --group G         the group of the machine (default: default)
  --id ID           what the machine calls itself, as poolkeeper locks shows it
  --reason R        why; it stands on the timeline
  --by NAME         who; default: $USER

Exit status: 0 = released, 1 = it has no slot, 2 = nothing answers, or the command line or the token is wrong.
`;

export const locks: Command = {
  help,
  subcommands: {
    release: { about: 'release the slot of a machine that does not come back', load: async () => release },
  },
  run: async (args, surroundings) => {
    const read = readArgs(args, { url: { type: 'string' }, ...outputFlag });
    const output = outputOf(read.output);
    const url = typedUrl(read.url, surroundings);
    const { listLocks } = await import('./list-locks.ts');
    return listLocks(url, output, surroundings);
  },
};

const release: Command = {
  help: releaseHelp,
  run: async (args, surroundings) => {
    const text = { type: 'string' } as const;
    const read = readArgs(args, {
      url: text,
      group: { type: 'string', default: 'default' },
      id: text,
      reason: text,
      by: text,
    });
    const { group, id, reason } = read;
    if (id === undefined) throw new Misconfigured(['--id is missing: which machine? See poolkeeper locks']);
    const problems = reasonProblems(reason?.trim() ?? '', 'It stands on the timeline');
    if (reason === undefined || problems.length > 0) throw new Misconfigured(problems);
    const by = (read.by ?? surroundings.environment['USER'] ?? 'somebody').slice(0, 100);
    const url = typedUrl(read.url, surroundings);
    const { releaseSlot } = await import('./release-slot.ts');
    return releaseSlot(url, { group, id, reason: reason.slice(0, 300), by }, surroundings);
  },
};
