import type { Warning } from '../disruption.ts';
import type { Facet } from '../facet.ts';
import { isObject } from '../json.ts';
import { line } from './line.ts';
import { secretWarning, unsupported } from './shared-warnings.ts';

/** Of user `core` only keys and password are managed; lintSections reports other users. */
export function lintUser({ name, value }: Facet): readonly Warning[] {
  if (name !== 'core' || !isObject(value)) return [];
  const others = Object.keys(value).filter((field) => !['name', 'sshAuthorizedKeys', 'passwordHash'].includes(field));
  const password = value['passwordHash'] === undefined ? [] : [secretWarning('the password hash of user core')];
  return [
    ...(others.length > 0
      ? [unsupported(`${line(others.join(', '))} of user core`, 'only keys and password can be managed')]
      : []),
    ...password,
  ];
}
