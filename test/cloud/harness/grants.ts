import type { Aws } from './aws.ts';

interface Statement {
  readonly Action: string | readonly string[];
}

/** Takes all statements with actions of a service out of a function's role; the answer puts them back. */
export async function withoutGrants({ cli }: Aws, fn: string, service: string): Promise<() => Promise<void>> {
  const { Configuration } = await cli('lambda', 'get-function', '--function-name', fn);
  const role = String(Configuration.Role).split('/').at(-1) ?? '';
  const { PolicyNames } = await cli('iam', 'list-role-policies', '--role-name', role);
  const policy: string = PolicyNames[0];
  const of = ['--role-name', role, '--policy-name', policy];
  const { PolicyDocument } = await cli('iam', 'get-role-policy', ...of);
  const put = (document: unknown) =>
    cli('iam', 'put-role-policy', ...of, '--policy-document', JSON.stringify(document));
  const rest = (PolicyDocument.Statement as Statement[]).filter(
    ({ Action }) => ![Action].flat().some((action) => action.startsWith(`${service}:`)),
  );
  if (rest.length === PolicyDocument.Statement.length) throw new Error(`${fn} has no right of ${service} to lose`);
  await put({ ...PolicyDocument, Statement: rest });
  return () => put(PolicyDocument);
}
