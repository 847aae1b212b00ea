import { closed, type Gate, type GateAnswer, type GateQuestion, open } from './gate.ts';

/** A person's word on a pool that Poolkeeper has paused already. `oc patch mcp ... paused: true` changes nothing there,
 *  so nobody would ever know of it; this annotation says it with `oc` alone. Only who may write pools can set it. */
export const keepPausedAnnotation = 'poolkeeper.dev/keep-paused';

/** Characters of the reason that are shown. */
const reasonCharacters = 200;

/** A person wants the pool to stay paused: whatever else is open, it does not resume while the annotation is there.
 *  Its value is the reason. */
export const keepPaused: Gate = { name: 'keep-paused', ask };

function ask({ pool }: GateQuestion): GateAnswer {
  const reason = pool.annotations[keepPausedAnnotation];
  if (reason === undefined) return open;
  const said = reason.trim() === '' ? 'no reason given' : reason.trim().slice(0, reasonCharacters);
  return closed(
    `a person keeps it paused by annotation ${keepPausedAnnotation}: ${said}`,
    `oc annotate mcp ${pool.name} ${keepPausedAnnotation}-`,
  );
}
