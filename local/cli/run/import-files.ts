import { readFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { isUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import {
  type ReferenceRemark,
  type ReferenceSection,
  readReference,
  referenceGroup,
  referenceKinds,
} from '../../../functions/core/node-turns/reference-resources.ts';
import { mappingAt } from '../../../functions/core/openshift/member.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { checkTurnJobs } from '../../../functions/shell/configuration/check-turn-jobs.ts';
import { NodeTurnsFile } from '../../../functions/shell/configuration/file/node-turns.ts';
import { pathText } from '../../../functions/shell/configuration/problem.ts';
import { readTurnObjects } from '../../../functions/shell/configuration/turn-files.ts';
import type { Surroundings } from '../command.ts';
import { pickCluster } from '../pick-cluster.ts';

interface Imported {
  readonly text: string;
  readonly notes: string;
  /** Something in the files was refused. */
  readonly isRefused: boolean;
}

const headings: readonly (readonly [ReferenceRemark['kind'], string])[] = [
  ['refused', 'Refused, because it cannot be right:'],
  ['not taken', 'Not taken, as it has no meaning here:'],
  ['hint', 'Worth knowing:'],
];

/** Reads the files and writes what they say as a section. Throws Misconfigured. */
export async function importRunFiles(paths: readonly string[], cluster: string | undefined): Promise<Imported> {
  if (paths.length === 0)
    throw new Misconfigured(['run import: needs files with MutexRule, MutexTarget ...; see --help']);
  const texts = new Map(await Promise.all(paths.map(async (path) => [path, await textOf(path)] as const)));
  const { section, problems } = readTurnObjects(paths, (path) => texts.get(path) ?? '', cluster);
  if (problems.length > 0) throw new Misconfigured(problems.map(({ source, what }) => `${source}: ${what}`));
  return imported(section);
}

/** Reads the objects of a cluster, with the person's own rights. Throws Misconfigured and Transient. */
export async function importRunObjects(
  { cluster, ...picked }: Parameters<typeof pickCluster>[0] & { readonly cluster?: string | undefined },
  surroundings: Surroundings,
): Promise<Imported> {
  const { connection } = await pickCluster(picked, surroundings);
  try {
    const lists = await Promise.all(
      Object.entries(referenceKinds).map(async ([kind, plural]) => {
        const path = `/apis/${referenceGroup}/v1alpha1/${plural}`;
        const found = await connection.client.list(path, { pageSize: 200 }).catch((cause: unknown) => {
          if (!(cause instanceof Transient) || !isUnserved(cause)) throw cause;
          throw new Misconfigured([`the cluster does not serve ${plural}.${referenceGroup}`], { cause });
        });
        // Items of a list do not say what they are.
        const named = { apiVersion: `${referenceGroup}/v1alpha1`, kind };
        return found.map((item) => ({ source: 'the cluster', object: { ...named, ...asMapping(item) } }));
      }),
    );
    return imported(readReference(lists.flat(), cluster));
  } finally {
    await connection.close();
  }
}

function asMapping(item: unknown): Readonly<Record<string, unknown>> {
  return mappingAt({ item }, 'item');
}

function imported({ rules, targets, runs, remarks }: ReferenceSection): Imported {
  const nodeTurns = { rules, targets, runs };
  const refused = refusedByUs(nodeTurns);
  const lines = headings.flatMap(([kind, heading]) => {
    const own = remarks
      .filter((remark) => remark.kind === kind)
      .map(({ source, at, says }) => `  ${source}: ${at} ${says}`);
    const all = kind === 'refused' ? [...own, ...refused.map((line) => `  ${line}`)] : own;
    return all.length === 0 ? [] : [heading, ...all];
  });
  const counts = `${Object.keys(rules).length} rules, ${Object.keys(targets).length} targets, ${Object.keys(runs).length} runs.`;
  return {
    text: stringify({ nodeTurns }, { lineWidth: 0, aliasDuplicateObjects: false }),
    notes: `${[...lines, counts].join('\n')}\n`,
    isRefused: refused.length > 0 || remarks.some(({ kind }) => kind === 'refused'),
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    throw new Misconfigured([`${path}: cannot be read (${code})`], { cause });
  }
}

/** What poolkeeper.yaml would refuse of the outcome. */
function refusedByUs(nodeTurns: unknown): readonly string[] {
  const { error } = NodeTurnsFile.safeParse(nodeTurns);
  return [
    ...(error?.issues ?? []).map(({ path, message }) => `${['nodeTurns', ...path].join('.')}: ${message}`),
    ...checkTurnJobs({ nodeTurns }).map(({ path, what }) => `${pathText(path)}: ${what}`),
  ];
}
