import type { Diagnosis } from '../../../../functions/core/diagnose/diagnosis.ts';
import type { Subject } from '../../../../functions/core/diagnose/subject.ts';
import { chainOf } from '../../../../functions/core/findings/chain.ts';
import type { Finding } from '../../../../functions/core/findings/trouble.ts';
import { lookInto } from '../../../../functions/keep-pools/watch/look-into.ts';
import { nodeSubject, readerOver, type World } from './world.ts';

export async function look(world: World, subject: Subject): Promise<Diagnosis> {
  return lookInto(subject, readerOver(world), { maxCalls: 15 });
}

/** Diagnoses the drain of a node. */
export async function drainOf(world: World, node = 'worker-2'): Promise<Diagnosis> {
  return look(world, nodeSubject(world, node, 'draining'));
}

export function codes(diagnosis: Diagnosis): readonly string[] {
  return diagnosis.findings.flatMap(chainOf).map(({ code }) => code);
}

/** The one finding with this code, wherever in the explanation it stands. */
export function withCode(diagnosis: Diagnosis, code: string): Finding {
  const found = diagnosis.findings.flatMap(flat).find((each) => each.code === code);
  if (found === undefined)
    throw new Error(`no finding ${code} among ${diagnosis.findings.flatMap(flat).map((each) => each.code)}`);
  return found;
}

export function flat(found: Finding): readonly Finding[] {
  return [found, ...found.because.flatMap(flat)];
}
