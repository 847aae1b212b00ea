import * as z from 'zod';
import { count, hour, listOf, mapping, minute, oneOf, seconds, type Values, yesOrNo } from './fields.ts';

/** Who somebody is, as far as a surface proves it: `slack:` by Slack's signature, `aws:` by SQS, which notes who sent a
 *  message. `github:` is who pushed, by GitHub's signature, and approves nothing; logins of
 *  Enterprise Managed Users end in `_` and a short code. An annotation proves nobody: whoever
 *  may write pools may write it. docs/decisions/0019-who-approves.md. */
const identityPattern =
  /^(?:slack:[UW][A-Z0-9]{6,20}|aws:AIDA[A-Z0-9]{12,124}|aws:AROA[A-Z0-9]{12,124}:[\w+=,.@-]{2,64}|github:[A-Za-z0-9][A-Za-z0-9_-]{0,38})$/;

const mustBePerson =
  'must be who a person is, at least slack:U0123456789, aws:AIDA... (a user) or aws:AROA...:session (a role); more of the same person after blanks, github:login too. Names of Kubernetes users prove nobody';

const Person = z
  .string({ error: mustBePerson })
  .max(400, { error: mustBePerson })
  .refine((text) => identitiesOf(text).every((each) => identityPattern.test(each)), { error: mustBePerson })
  .refine((text) => identitiesOf(text).some(mayApprove), { error: mustBePerson });

/** The gate `approval` of a pool. */
export const Approve = mapping({
  by: listOf(Person, 'must be a list of people')
    .min(1, { error: 'must be a list of at least one person' })
    .max(100, { error: 'must be a list of at most 100 people' })
    .describe(
      'Who may approve, one entry for each person: slack:U0123456789, aws:AIDA... or aws:AROA...:session, with blanks between several of one person.',
    ),
  needed: count(1, 10).default(1).describe('How many of these people must approve the same rendered config.'),
  /** A shift and a half: approved in the afternoon for the night, not for the night after. */
  expiresSeconds: seconds(5 * minute, 168 * hour)
    .default(12 * hour)
    .describe('How long an approval counts.'),
  excludePusher: yesOrNo(
    'The approval of a person who pushed the change does not count. Every entry of by then needs github:login. Where it is not known who pushed, one more person has to approve.',
    false,
  ),
  when: oneOf('always', 'sync-failed')
    .default('always')
    .describe(
      'always: for every change. sync-failed: only after a failed sync, with policy.onSyncFailure: resume-after-approval.',
    ),
});
export type Approve = Values<typeof Approve>;

/** The identities of one entry of `by`: all of one person. */
export function identitiesOf(person: string): readonly string[] {
  return person.split(' ').filter((each) => each !== '');
}

/** Whether a surface proves this identity when somebody approves. */
export function mayApprove(identity: string): boolean {
  return !identity.startsWith('github:');
}
