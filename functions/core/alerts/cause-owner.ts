import { plainName } from '../findings/cause-key.ts';
import { namedFreely, ownerOf, ownerOfPart } from '../findings/owner.ts';
import type { Finding } from '../findings/trouble.ts';

/** Each of these is somebody's, though it lies in no namespace. */
const ofSomebody = ['Run', 'Sequence', 'MachineConfig', 'AppProject', 'Webhook', 'AlertTarget'];
/** Their names go on with what of them it is about: the node of a run, the step of a sequence. */
const withParts = ['Run', 'Sequence'];

/** Whose a cause is, for those who are told of it. What lies in no namespace is told apart by what it is: the run, the
 *  sequence, the alert target or an address of it, or else the code, so that a hundred nodes that fail alike are one.
 *  What nobody can explain, or heals by itself, is nobody's. */
export function ownerOfCause({ code, subject, class: kind }: Finding): string {
  const owner = ownerOf(subject);
  if (owner !== '' || subject.namespace !== '') return owner;
  const named = ownerOfNamed(subject.kind, subject.name);
  if (named !== '') return named;
  return kind === 'structural' || kind === 'external' ? `code:${code}` : '';
}

/** The same of a part of a digest, `name:code:Kind name`, which does not say whether it can be explained. */
export function ownerOfCausePart(part: string): string {
  const [, kind = '', name = ''] = /^([A-Z]\w*) ([^ ]+)$/.exec(part.slice(part.lastIndexOf(':') + 1)) ?? [];
  const isNamed = namedFreely.includes(kind) || !name.includes('/');
  const named = isNamed ? ownerOfNamed(kind, plainName(name)) : '';
  return named === '' ? ownerOfPart(part) : named;
}

function ownerOfNamed(kind: string, name: string): string {
  if (kind === 'Namespace') return name;
  if (!ofSomebody.includes(kind)) return '';
  return `${kind}:${withParts.includes(kind) ? name.split('/', 1).join('') : name}`;
}
