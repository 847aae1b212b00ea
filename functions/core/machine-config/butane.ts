import * as z from 'zod';
import type { Manifest } from '../openshift/manifest.ts';
import { machineConfigGroup } from '../openshift/rendered-kinds.ts';
import { safeLine } from '../text/safe-text.ts';

/** What a Butane file becomes. `not-plain`: only the real tool can tell, and `why` names what stands in the way. */
export type ButaneResult =
  | { readonly kind: 'converted'; readonly manifest: Manifest }
  | { readonly kind: 'not-plain'; readonly why: string };

/** Whether a document is for Butane by its text: it has a variant and a version, and is no object of Kubernetes. Butane
 *  takes any name of a file. */
export function isButaneText(document: string): boolean {
  const isFlow = document.trimStart().startsWith('{');
  const [variant, version, group] = isFlow ? flowKeys : blockKeys;
  return variant.test(document) && version.test(document) && !group.test(document);
}

const blockKeys = [
  /^["']?variant["']?[ \t]{0,20}:/m,
  /^["']?version["']?[ \t]{0,20}:/m,
  /^["']?apiVersion["']?[ \t]{0,20}:/m,
] as const;
/** At any depth, so only with the variants that there are. */
const flowKeys = [
  /\bvariant["']?\s{0,5}:\s{0,5}["']?(?:fcos|fiot|flatcar|openshift|r4e)\b/,
  /\bversion["']?\s{0,5}:/,
  /\bapiVersion["']?\s{0,5}:/,
] as const;

const name = z.string().min(1);

const Contents = z.strictObject({
  inline: z.string().optional(),
  source: z.string().optional(),
  compression: z.string().optional(),
});

const Account = z.strictObject({ id: z.number().int().optional(), name: z.string().optional() });

const File = z.strictObject({
  path: name,
  overwrite: z.boolean().optional(),
  contents: Contents.optional(),
  mode: z.number().int().optional(),
  user: Account.optional(),
  group: Account.optional(),
});

const Dropin = z.strictObject({ name, contents: z.string().optional() });

const Unit = z.strictObject({
  name,
  enabled: z.boolean().optional(),
  mask: z.boolean().optional(),
  contents: z.string().optional(),
  dropins: z.array(Dropin).optional(),
});

const User = z.strictObject({
  name,
  password_hash: z.string().optional(),
  ssh_authorized_keys: z.array(z.string()).optional(),
});

/** The plain part of variant `openshift`: what needs neither other files nor a decision of the tool. Source: Butane,
 *  configuration specifications openshift v4.8.0 to v4.21.0. */
const Plain = z.strictObject({
  variant: z.literal('openshift'),
  version: z.string().regex(/^\d{1,3}\.\d{1,3}\.\d{1,3}(?:-experimental)?$/),
  metadata: z.strictObject({
    name,
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  openshift: z
    .strictObject({
      kernel_type: z.string().optional(),
      kernel_arguments: z.array(z.string()).optional(),
      extensions: z.array(z.string()).optional(),
      fips: z.boolean().optional(),
    })
    .optional(),
  storage: z.strictObject({ files: z.array(File).optional() }).optional(),
  systemd: z.strictObject({ units: z.array(Unit).optional() }).optional(),
  passwd: z.strictObject({ users: z.array(User).optional() }).optional(),
});
type Plain = z.infer<typeof Plain>;

/** Converts what Butane would convert without looking at anything else.
 *  @param document the parsed file */
export function machineConfigOfButane(document: unknown): ButaneResult {
  const variant = z.object({ variant: z.string() }).safeParse(document).data?.variant;
  if (variant === undefined) return { kind: 'not-plain', why: 'it has no variant' };
  if (variant !== 'openshift')
    return { kind: 'not-plain', why: 'its variant is not openshift, so butane makes no MachineConfig of it' };
  const read = Plain.safeParse(document);
  if (!read.success) return { kind: 'not-plain', why: `only butane can convert it: ${whatStops(read.error)}` };
  const { metadata } = read.data;
  return {
    kind: 'converted',
    manifest: {
      group: machineConfigGroup,
      kind: 'MachineConfig',
      namespace: '',
      name: metadata.name,
      labels: metadata.labels ?? {},
      annotations: metadata.annotations ?? {},
      body: { spec: specOf(read.data) },
    },
  };
}

/** Names the field, never its content. */
function whatStops({ issues: [issue] }: z.ZodError): string {
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 3) : [];
  const path = [...(issue?.path ?? []), ...(keys.length === 0 ? [] : [keys.join(', ')])];
  return safeLine(path.map(String).join('.'), 120) || 'it is no mapping';
}

function specOf({ version, openshift, storage, systemd, passwd }: Plain): Readonly<Record<string, unknown>> {
  return defined({
    config: defined({
      ignition: { version: ignitionVersion(version) },
      storage: storage?.files && { files: storage.files.map(fileOf) },
      systemd: systemd?.units && { units: systemd.units },
      passwd: passwd?.users && { users: passwd.users.map(userOf) },
    }),
    kernelArguments: openshift?.kernel_arguments,
    kernelType: openshift?.kernel_type,
    extensions: openshift?.extensions,
    fips: openshift?.fips,
  });
}

/** Source: Butane, table "Butane specifications and Ignition specifications"; later ones are taken for the last one
 *  known. */
function ignitionVersion(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 4 || minor >= 19) return '3.5.0';
  return minor >= 14 ? '3.4.0' : '3.2.0';
}

function fileOf({ contents, ...file }: z.infer<typeof File>): Readonly<Record<string, unknown>> {
  if (contents === undefined) return file;
  const { inline, source, compression } = contents;
  // Half of a surrogate pair cannot be encoded, and a text with one is not from a file.
  const told = inline === undefined ? source : `data:,${encodeURIComponent(inline.toWellFormed())}`;
  return { ...file, contents: defined({ source: told, compression }) };
}

function userOf({
  name: user,
  password_hash: passwordHash,
  ssh_authorized_keys: sshAuthorizedKeys,
}: z.infer<typeof User>) {
  return defined({ name: user, passwordHash, sshAuthorizedKeys });
}

function defined(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
