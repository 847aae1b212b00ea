import { clean } from '../alerts/message/safe-text.ts';
import { generatedByAnnotation } from '../impact/kinds.ts';
import { roleLabel } from '../impact/pools-of.ts';
import type { Warning } from '../impact/report.ts';
import { decodeContents } from './decode.ts';
import { octal } from './describe-change.ts';
import { type Facet, facetsOf, ignitionMajor } from './facet.ts';
import { isObject, listAt, objectAt, textAt, textsAt } from './json.ts';
import type { MachineConfigContent } from './machine-config.ts';
import { isSecretFile } from './mask.ts';

/** What else is merged with a MachineConfig, where that is known. */
export interface LintContext {
  /** Other MachineConfigs of the pool: a script may be run by a unit that another one brings. */
  readonly others?: readonly MachineConfigContent[] | undefined;
}

/** Most warnings of one code for one MachineConfig; the rest is counted. */
const mostOfACode = 5;

/** What a person should know of a MachineConfig before it lands. Nothing of it decides about a pause. */
export function lintMachineConfig(config: MachineConfigContent, context: LintContext = {}): readonly Warning[] {
  const facets = [...facetsOf(config).values()];
  const found = [
    ...lintName(config),
    ...lintIgnition(config),
    ...lintFields(facets),
    ...lintSections(facets),
    ...facets.flatMap((facet) => lintFacet(facet)),
    ...lintDuplicates(config),
    ...lintScripts(config, facets, context.others ?? []),
  ];
  return bounded(found).map((warning) => ({ ...warning, text: `MachineConfig ${line(config.name)}: ${warning.text}` }));
}

/** Names and values come from Git: one line, nothing that is not seen, not endless. */
function line(text: string): string {
  const cleaned = clean(text.slice(0, 200)).replace(/\n/g, ' ');
  return text.length > 200 ? `${cleaned}…` : cleaned;
}

function bounded(warnings: readonly Warning[]): readonly Warning[] {
  const byCode = Map.groupBy(warnings, ({ code }) => code);
  return [...byCode.values()].flatMap((each) => {
    const [first] = each;
    if (first === undefined || each.length <= mostOfACode) return each;
    const more = { ...first, text: `${each.length - mostOfACode} more warnings of this kind: ${first.code}` };
    return [...each.slice(0, mostOfACode), more];
  });
}

function lintName({ name, labels, annotations }: MachineConfigContent): readonly Warning[] {
  const found: Warning[] = [];
  if (!/^\d\d-/.test(name))
    found.push({
      code: 'name-order',
      text: /^\d/.test(name)
        ? 'names are compared as text: its number has not two digits, so that 100- stands before 99- and 9- after 10-'
        : 'its name does not start with two digits and a dash, so that it is merged after 99- and overrides everything else',
      remedy: 'Name it like 50-<role>-<subject>: of two that set the same file the later name wins',
    });
  if (
    /^(?:rendered-|0[01]-(?:master|worker|arbiter)|9[789]-.+-generated-)/.test(name) ||
    generatedByAnnotation in annotations
  )
    found.push({
      code: 'name-of-the-operator',
      text: 'the Machine Config Operator uses this name itself and will write it again',
      remedy: 'Choose another name, and do not keep generated MachineConfigs in Git',
    });
  if (labels[roleLabel] === undefined)
    found.push({
      code: 'role-missing',
      text: `it has no label ${roleLabel}`,
      remedy: `Set ${roleLabel} to the pool it is for; without it most pools do not select it`,
    });
  return found;
}

/** Versions that a supported MCO reads. Source: RenderDegraded text of the MCO, facts of R2. */
const knownIgnition: readonly string[] = ['2.2', '3.0', '3.1', '3.2', '3.3', '3.4', '3.5'];

function lintIgnition({ spec }: MachineConfigContent): readonly Warning[] {
  const config = spec['config'];
  if (!isObject(config) || Object.keys(config).length === 0) return [];
  const version = textAt(objectAt(config, 'ignition'), 'version');
  if (version === '' || !knownIgnition.some((known) => version.startsWith(`${known}.`)))
    return [
      {
        code: 'ignition-unknown',
        text: version === '' ? 'it names no Ignition version' : `Ignition version ${line(version)} is not supported`,
        remedy:
          'Set spec.config.ignition.version to 3.2.0, or 3.4.0 from OpenShift 4.14 on: until then the pool does not render',
      },
    ];
  if (ignitionMajor(config) !== 2) return [];
  return [
    {
      code: 'ignition-legacy',
      text: `it is written for Ignition ${line(version)}, which OpenShift 4.6 and later only convert`,
      remedy:
        'Rewrite it for Ignition 3.2.0: no filesystem and no append: true at a file, overwrite: true is the default',
    },
  ];
}

/** Source: facts of R4; MCO pkg/controller/common. */
const knownExtensions: readonly string[] = [
  'ipsec',
  'kerberos',
  'kernel-devel',
  'sandboxed-containers',
  'sysstat',
  'two-node-ha',
  'usbguard',
  'wasm',
];

function lintFields(facets: readonly Facet[]): readonly Warning[] {
  const extensions = facets.flatMap(({ kind, value }) => (kind === 'extensions' && Array.isArray(value) ? value : []));
  return facets.flatMap((facet) => lintField(facet, extensions.map(String)));
}

function lintField({ kind, value }: Facet, extensions: readonly string[]): readonly Warning[] {
  switch (kind) {
    case 'osImageURL':
    case 'baseOSExtensionsContainerImage':
      return [
        {
          code: 'os-image-override',
          text: `it sets ${kind}: its nodes leave the image of the release and no longer follow cluster updates`,
          remedy: 'Build the image anew for each release, or use on-cluster layering (MachineOSConfig)',
        },
      ];
    case 'kernelType':
      return lintKernel(String(value), extensions);
    case 'extensions':
      return extensions
        .filter((extension) => !knownExtensions.includes(extension))
        .map((extension) => ({
          code: 'extension-unknown',
          text: `extension ${line(extension)} is not known: the pool would not render`,
          remedy: `Known are ${knownExtensions.join(', ')}`,
        }));
    case 'fips':
      return [
        {
          code: 'fips-change',
          text: 'it asks for FIPS mode, which cannot be changed on running nodes',
          remedy: 'FIPS mode is chosen when the cluster is installed',
        },
      ];
    case 'kernelArguments':
      return lintKernelArguments(Array.isArray(value) ? value.map(String) : []);
    default:
      return [];
  }
}

function lintKernel(type: string, extensions: readonly string[]): readonly Warning[] {
  if (!['realtime', '64k-pages'].includes(type))
    return [
      {
        code: 'kernel-type',
        text: `kernelType ${line(type)} is not known: the pool would not render`,
        remedy: 'Use default, realtime or 64k-pages',
      },
    ];
  const why = type === 'realtime' ? 'exists for x86_64 only' : 'exists for aarch64 only';
  const clash = extensions.includes('kernel-devel')
    ? [
        {
          code: 'kernel-type',
          text: `kernelType ${type} cannot be installed together with extension kernel-devel`,
          remedy: 'Leave one of them out',
        },
      ]
    : [];
  return [
    {
      code: 'kernel-type',
      text: `kernelType ${type} ${why}; a node of another architecture turns Degraded`,
      remedy: 'Check the architecture of every node of the pool',
    },
    ...clash,
  ];
}

function lintKernelArguments(args: readonly string[]): readonly Warning[] {
  return [
    ...args
      .filter((each) => /^(?:selinux=0|enforcing=0|security=(?!selinux))/.test(each.trim()))
      .map((each) => selinuxWarning(`kernel argument ${line(each)} takes SELinux away`)),
    ...args
      .filter((each) => /\s/.test(each.trim()))
      .map((each) => ({
        code: 'kernel-argument-space',
        text: `one entry holds several kernel arguments: ${/=/.test(each) ? line(each.split('=')[0] ?? '') : line(each)} ...`,
        remedy: 'Write one argument an entry: the node verifies each entry by itself',
      })),
  ];
}

function selinuxWarning(text: string): Warning {
  return {
    code: 'selinux-weakened',
    text,
    remedy: 'Keep SELinux enforcing, which OpenShift requires; give the one program a policy of its own instead',
  };
}

/** Sections that the MCO does not change on a running node, and what it says. Source: MCO reconcile.go, facts of N8. */
function lintSections(facets: readonly Facet[]): readonly Warning[] {
  return facets.flatMap(({ kind, name }): readonly Warning[] => {
    if (kind === 'user' && name !== 'core') return [unsupported(`user ${line(name)}`, 'only user core can be managed')];
    if (kind !== 'opaque') return [];
    return [unsupported(`section ${line(name)}`, 'it cannot be changed on a running node')];
  });
}

function unsupported(what: string, why: string): Warning {
  return {
    code: 'unsupported-section',
    text: `${what} is not supported after the installation: ${why}, and the pool stops rendering or its nodes turn Degraded`,
    remedy: 'Take it out; provision new machines for what only the first boot can do',
  };
}

function lintFacet(facet: Facet): readonly Warning[] {
  switch (facet.kind) {
    case 'file':
      return lintFile(facet);
    case 'unit':
      return lintUnit(facet);
    case 'user':
      return lintUser(facet);
    default:
      return [];
  }
}

function lintFile({ name, value }: Facet): readonly Warning[] {
  const contents = isObject(value) ? value['contents'] : undefined;
  const decoded = decodeContents(contents);
  const text = decoded.kind === 'text' ? decoded.text : '';
  return [
    ...lintPath(name),
    ...lintMode(name, isObject(value) ? value['mode'] : undefined),
    ...(decoded.kind === 'remote'
      ? [
          {
            code: 'remote-source',
            text: `file ${line(name)} is fetched from ${line(decoded.url)}: the Machine Config Operator writes data URLs only`,
            remedy: 'Put the content into the MachineConfig as a data URL',
          },
        ]
      : []),
    ...(decoded.kind === 'unreadable'
      ? [
          {
            code: 'content-unreadable',
            text: `file ${line(name)} cannot be decoded: ${decoded.why}`,
            remedy: 'Write it anew as data:;base64, or with percent escapes',
          },
        ]
      : []),
    ...(listAt(value, 'append').length > 0
      ? [
          {
            code: 'unsupported-section',
            text: `file ${line(name)} is appended to, which the Machine Config Operator refuses`,
            remedy: 'Write the whole file, or a drop-in beside it',
          },
        ]
      : []),
    ...lintText(`file ${line(name)}`, name, text),
  ];
}

/** Where a file does not stay, is not written, or belongs to somebody else. On RHCOS /usr is read-only and the rest of the root links into /var. */
const badPaths: readonly (readonly [RegExp, string, string])[] = [
  [
    /^\/run\/machine-config-daemon-force$/,
    'it makes the daemon skip its checks, and the operator refuses it',
    'Create it by hand on the one node that needs it',
  ],
  [
    /^\/(?:proc|sys|dev|run|tmp)(?:\/|$)/,
    'what is there is gone after a reboot, or no file at all',
    'Write below /etc or /var; for /run use a tmpfiles.d entry',
  ],
  [/^\/usr\/(?!local(?:\/|$))/, '/usr is read-only on these nodes', 'Write to /etc or to /usr/local'],
  [
    /^\/(?:bin|sbin|lib|lib64|boot|sysroot|ostree)(?:\/|$)/,
    'it belongs to the OS image',
    'Write to /etc or to /usr/local, or layer the image',
  ],
  [
    /^\/etc\/(?:machine-config-daemon\/(?!no-reboot\/)|mco\/)/,
    'it belongs to the machine-config-daemon',
    'Leave it to the Machine Config Operator',
  ],
  [
    /^\/etc\/kubernetes\/(?:kubelet\.conf|kubelet-ca\.crt|ca\.crt|kubeconfig)$/,
    'the Machine Config Operator writes it itself',
    'Use a KubeletConfig, or the setting it comes from',
  ],
  [
    /^\/(?:etc\/containers\/(?:registries|storage|policy)\.(?:conf|json)|etc\/crio\/crio\.conf\.d\/00-default)$/,
    'the Machine Config Operator generates it, and the last name wins',
    'Use an ImageDigestMirrorSet, Image or ContainerRuntimeConfig, or a drop-in',
  ],
];

function lintPath(path: string): readonly Warning[] {
  if (!path.startsWith('/') || /\/\.\.?(?:\/|$)|\/\//.test(path))
    return [
      {
        code: 'path-not-allowed',
        text: `file ${line(path)} has no absolute, plain path`,
        remedy: 'Write the whole path, without dots',
      },
    ];
  return badPaths
    .filter(([pattern]) => pattern.test(path))
    .slice(0, 1)
    .map(([, why, remedy]) => ({ code: 'path-not-allowed', text: `file ${line(path)}: ${why}`, remedy }));
}

/** Decimal numbers that read like octal modes: 644 is meant as 0644, and is 01204. None of them is the decimal form of a usual mode. */
const octalLookalikes: readonly number[] = [
  400, 440, 444, 500, 550, 555, 600, 640, 644, 660, 664, 666, 700, 740, 750, 755, 770, 775, 777,
];

function lintMode(path: string, mode: unknown): readonly Warning[] {
  if (mode === undefined || mode === null) return [];
  const remedy = 'Ignition wants the decimal form: 420 is 0644, 384 is 0600, 493 is 0755, 256 is 0400';
  const warn = (code: string, text: string) => [{ code, text: `file ${line(path)}: ${text}`, remedy }];
  if (typeof mode !== 'number' || !Number.isInteger(mode) || mode < 0)
    return warn('mode-invalid', 'its mode is no whole number');
  if (octalLookalikes.includes(mode))
    return warn(
      'mode-decimal',
      `mode ${mode} is decimal and means ${octal(mode)}; ${String(mode).padStart(4, '0')} was most likely meant`,
    );
  if (mode > 0o7777) return warn('mode-invalid', `mode ${mode} is larger than 07777: the pool would not render`);
  return (mode & 0o002) === 0 ? [] : warn('world-writable', `mode ${octal(mode)} lets everybody write to it`);
}

function lintUnit({ name, value }: Facet): readonly Warning[] {
  const contents = textAt(value, 'contents');
  const isEnabled = isObject(value) && (value['enabled'] === true || value['mask'] === true);
  const isSaid = isObject(value) && typeof value['enabled'] === 'boolean';
  return [
    ...(contents !== '' && /^\s*\[Install\]/m.test(contents) && !isEnabled && !isSaid
      ? [
          {
            code: 'unit-not-enabled',
            text: `unit ${line(name)} has an [Install] section, and nothing enables it`,
            remedy: 'Set enabled: true, or leave [Install] out when another unit starts it',
          },
        ]
      : []),
    ...(isObject(value) && value['enabled'] === true && contents !== '' && !/^\s*\[Install\]/m.test(contents)
      ? [
          {
            code: 'unit-not-enabled',
            text: `unit ${line(name)} is enabled without an [Install] section, so that nothing starts it`,
            remedy: 'Add [Install] with WantedBy=multi-user.target',
          },
        ]
      : []),
    ...lintText(`unit ${line(name)}`, name, unitText(value)),
  ];
}

function unitText(value: unknown): string {
  return [textAt(value, 'contents'), ...listAt(value, 'dropins').map((dropin) => textAt(dropin, 'contents'))].join(
    '\n',
  );
}

function lintUser({ name, value }: Facet): readonly Warning[] {
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

function secretWarning(what: string): Warning {
  return {
    code: 'secret-in-git',
    text: `${what} looks like a secret, and whoever reads Git or MachineConfigs reads it`,
    remedy: 'Keep it out of MachineConfigs: they are not encrypted and are readable for many; rotate what was pushed',
  };
}

function lintText(what: string, name: string, text: string): readonly Warning[] {
  const found: Warning[] = [];
  if (/^\s*SELINUX\s*=\s*(?:permissive|disabled)/m.test(text) || /\bsetenforce\s+(?:0|permissive)\b/i.test(text))
    found.push(selinuxWarning(`${what} takes SELinux away`));
  if (text !== '' && isSecretFile(name, text.slice(0, 256_000)) && /[:=$]|-----BEGIN/.test(text))
    found.push(secretWarning(what));
  return found;
}

/** The same path or name twice in one MachineConfig. */
function lintDuplicates({ spec }: MachineConfigContent): readonly Warning[] {
  const lists: readonly (readonly [string, string, string])[] = [
    ['storage', 'files', 'path'],
    ['systemd', 'units', 'name'],
    ['passwd', 'users', 'name'],
  ];
  return lists.flatMap(([section, list, key]) => {
    const names = listAt(objectAt(spec['config'], section), list).map((entry) => textAt(entry, key));
    const seen = new Set<string>();
    const twice = new Set(names.filter((name) => name !== '' && (seen.has(name) || !seen.add(name))));
    return [...twice].map((name) => ({
      code: 'duplicate-entry',
      text: `${line(name)} stands twice in ${section}.${list}: Ignition refuses that`,
      remedy: 'Keep one of them',
    }));
  });
}

/** Folders whose files are run by what is there already. */
const runByOthers =
  /^\/etc\/(?:NetworkManager\/dispatcher\.d|cron\.(?:hourly|daily|weekly|monthly|d)|profile\.d|kubernetes\/(?:static-pod|manifests|credential-providers)|systemd\/system-(?:generators|sleep|shutdown)|cni|crio|containers\/oci\/hooks\.d)\/|\/oci\/hooks\.d\/|\/kubelet-plugins\//;

/** Most scripts of one MachineConfig that are looked for: each is looked for in every unit. */
const mostScripts = 50;

/** Scripts that no unit, timer or other script names. */
function lintScripts(
  config: MachineConfigContent,
  facets: readonly Facet[],
  others: readonly MachineConfigContent[],
): readonly Warning[] {
  const scripts = facets.filter((facet) => isScript(facet) && !runByOthers.test(facet.name)).slice(0, mostScripts);
  if (scripts.length === 0) return [];
  const all = [
    ...facets,
    ...others.filter((other) => other.name !== config.name).flatMap((other) => [...facetsOf(other).values()]),
  ];
  const texts = all.map((facet) => ({ key: facet.key, text: textOf(facet) }));
  return scripts
    .filter((script) => !texts.some(({ key, text }) => key !== script.key && text.includes(script.name)))
    .map((script) => ({
      code: 'script-not-run',
      text: `file ${line(script.name)} is a script, and no unit here runs it`,
      remedy: 'Add a unit whose ExecStart names the whole path, and enable it',
    }));
}

function isScript({ kind, name, value }: Facet): boolean {
  if (kind !== 'file' || !isObject(value)) return false;
  const mode = value['mode'];
  const isExecutable = typeof mode === 'number' && (mode & 0o111) !== 0;
  if (!isExecutable && !/\.(?:sh|bash|py|pl)$/.test(name) && !/\/s?bin\//.test(name)) return false;
  const decoded = decodeContents(value['contents']);
  return decoded.kind === 'text' && (decoded.text.startsWith('#!') || isExecutable);
}

function textOf({ kind, value }: Facet): string {
  switch (kind) {
    case 'unit':
      return unitText(value);
    case 'file': {
      const decoded = decodeContents(isObject(value) ? value['contents'] : undefined);
      return decoded.kind === 'text' ? decoded.text : '';
    }
    case 'kernelArguments':
      return textsAt({ value }, 'value').join(' ');
    default:
      return '';
  }
}
