import { hour, mapping, minute, oneOf, seconds, type Values } from './fields.ts';

const after = () =>
  seconds(minute, 90 * 24 * hour).describe('How long the gate may keep a pool paused before that happens.');

const whatHappens =
  'wait: nothing. alert: an alert is sent, and the pool stays paused. drop: Poolkeeper gives the pool up, and it stays paused until a person resumes it.';

/** A gate that keeps a rollout from doing harm is never skipped. */
function guarding(gate: string) {
  return mapping({
    afterSeconds: after(),
    action: oneOf('wait', 'alert', 'drop').describe(whatHappens),
  })
    .optional()
    .describe(`When gate ${gate} stays closed.`);
}

function passing(gate: string) {
  return mapping({
    afterSeconds: after(),
    action: oneOf('wait', 'alert', 'resume', 'drop').describe(`${whatHappens} resume: the gate no longer counts.`),
  })
    .optional()
    .describe(`When gate ${gate} stays closed.`);
}

/** What happens when a gate stays closed, by its name; without an entry, as each gate says itself. */
export const GateTimeouts = mapping({
  'keep-paused': guarding('keep-paused'),
  approval: passing('approval'),
  ticket: passing('ticket'),
  window: passing('window'),
  guard: guarding('guard'),
  rendered: guarding('rendered'),
  image: passing('image'),
  quiet: guarding('quiet'),
  upgrade: passing('upgrade'),
  wave: passing('wave'),
  sequence: passing('sequence'),
  health: guarding('health'),
  canary: guarding('canary'),
  drainable: passing('drainable'),
  fit: passing('fit'),
  budget: passing('budget'),
});
export type GateTimeouts = Values<typeof GateTimeouts>;
