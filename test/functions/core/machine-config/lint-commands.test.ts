import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { lintMachineConfig } from '../../../../functions/core/machine-config/lint/lint-machine-config.ts';
import { shellCommands } from '../../../../functions/core/machine-config/lint/shell-commands.ts';
import { shellLimits } from '../../../../functions/core/machine-config/lint/shell-reading.ts';
import type { MachineConfigContent } from '../../../../functions/core/machine-config/machine-config.ts';
import { fc } from '../../../property.ts';
import { machineConfig, type Saying } from './builders.ts';
import { configOfTheArticle } from './config-of-the-article.ts';

const ofCommands = ['selinux-weakened', 'package-installed', 'os-changed', 'reboot-by-script', 'operator-file-edited'];

function found(saying: Saying, others: readonly MachineConfigContent[] = []): readonly string[] {
  return lintMachineConfig(machineConfig('50-x', saying), { others })
    .map(({ code }) => code)
    .filter((code) => ofCommands.includes(code));
}

function script(text: string): Saying {
  return { files: { '/usr/local/bin/a.sh': `#!/bin/bash\n${text}\n` } };
}

function unit(exec: string): Saying {
  return { units: { 'a.service': `[Service]\n${exec}\n[Install]\nWantedBy=multi-user.target\n` } };
}

describe('the lint of what scripts and units do', () => {
  test('[S1-16] [S1-20] the MachineConfig of the article is told with its lines, and that nothing runs its script', () => {
    const warnings = lintMachineConfig(configOfTheArticle());

    expect(warnings.map(({ code, text }) => `${code}: ${text}`)).toEqual([
      'script-not-run: MachineConfig 50-worker-permissive: file /usr/local/bin/relax-selinux.sh is a script, and no unit here runs it',
      'selinux-weakened: MachineConfig 50-worker-permissive: file /usr/local/bin/relax-selinux.sh, line 4: makes SELinux permissive (setenforce)',
      'selinux-weakened: MachineConfig 50-worker-permissive: file /usr/local/bin/relax-selinux.sh, line 5: edits /etc/selinux/config, which sets the mode of SELinux',
    ]);
  });

  test.each([
    'setenforce 0',
    'setenforce Permissive',
    '/usr/sbin/setenforce 0 || true',
    'sudo -u root setenforce 0',
    's"et"enforce \\0',
    'if ! getenforce | grep -q Permissive; then setenforce 0; fi',
    'MODE=0\nsetenforce "$MODE"',
    'export CMD="setenforce 0"\n$CMD',
    'bash -c "setenforce 0"',
    "nsenter -t 1 -m -- sh -ec 'setenforce 0'",
    'eval "setenforce 0"',
    'echo setenforce 0 | sh',
    'echo 0 | xargs setenforce',
    'bash <<EOF\nsetenforce 0\nEOF',
    'chroot /host setenforce 0',
    'trap "setenforce 0" EXIT',
    'OUT="$(setenforce 0)"',
    'OUT=`setenforce 0`',
    '(sleep 5; setenforce 0) &',
    'timeout 10 setenforce 0',
    'relax() { setenforce 0; }\nrelax',
    'echo 0 > /sys/fs/selinux/enforce',
    'echo 0 | tee /sys/fs/selinux/enforce',
    'echo 1 > /sys/fs/selinux/disable && echo -n 0 >/host/sys/fs/selinux/enforce',
    "sed -i 's/^SELINUX=.*/SELINUX=permissive/' /etc/selinux/config",
    "sed -i.bak -e 's/enforcing/disabled/g' /etc/selinux/config",
    "sed --in-place 's/SELINUX=enforcing/SELINUX=permissive/' /etc/sysconfig/selinux",
    "perl -pi -e 's/enforcing/permissive/' /etc/selinux/config",
    'echo SELINUX=disabled >> /etc/selinux/config',
    'printf "SELINUX=%s\\n" permissive | tee /etc/selinux/config',
    'cat > /etc/selinux/config <<EOF\nSELINUX=permissive\nEOF',
    'cp /opt/config /etc/selinux/config',
    'ln -sf /dev/null /etc/selinux/config',
    'rpm-ostree kargs --append=selinux=0',
    'rpm-ostree kargs --append enforcing=0',
    'grubby --update-kernel=ALL --args="quiet selinux=0"',
    "sed -i 's/$/ enforcing=0/' /boot/loader/entries/a.conf",
    'semanage permissive -a container_t',
    'semanage permissive --add container_t',
    'semodule -d container',
    'chcon -t unconfined_exec_t /usr/local/bin/a',
    'semanage fcontext -a -t unconfined_exec_t "/opt/a"',
    'runcon -t unconfined_t /opt/a',
    'podman run --security-opt label=disable registry.example.com/a',
    'umount /sys/fs/selinux',
  ])('[S1-20] SELinux is weakened by %j', (text) => {
    expect(found(script(text))).toContain('selinux-weakened');
  });

  test.each<readonly [string, string]>([
    ['rpm-ostree install usbguard', 'package-installed'],
    ['rpm-ostree --idempotent install -y a', 'package-installed'],
    ['rpm-ostree override replace a.rpm', 'package-installed'],
    ['dnf -y install tcpdump', 'package-installed'],
    ['yum localinstall a.rpm', 'package-installed'],
    ['microdnf install a', 'package-installed'],
    ['rpm -ivh a.rpm', 'package-installed'],
    ['rpm -Uvh https://example.com/a.rpm', 'package-installed'],
    ['pip3 install a', 'package-installed'],
    ['rpm-ostree rebase a', 'os-changed'],
    ['rpm-ostree kargs --append=nosmt', 'os-changed'],
    ['ostree admin unlock --hotfix', 'os-changed'],
    ['bootc switch registry.example.com/a', 'os-changed'],
    ['systemctl reboot', 'reboot-by-script'],
    ['systemctl --no-block reboot', 'reboot-by-script'],
    ['systemctl isolate reboot.target', 'reboot-by-script'],
    ['shutdown -r now', 'reboot-by-script'],
    ['/sbin/reboot -f', 'reboot-by-script'],
    ['init 6', 'reboot-by-script'],
    ['telinit 6', 'reboot-by-script'],
    ['kexec -e', 'reboot-by-script'],
    ['systemd-run --on-active=30 systemctl reboot', 'reboot-by-script'],
    ['nohup sh -c "sleep 5; reboot" &', 'reboot-by-script'],
    ['rpm-ostree install -r a', 'reboot-by-script'],
    ['echo b > /proc/sysrq-trigger', 'reboot-by-script'],
    [
      'busctl call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager Reboot b 0',
      'reboot-by-script',
    ],
    ['sed -i s/a/b/ /etc/kubernetes/kubelet.conf', 'operator-file-edited'],
    ['echo a >> /etc/containers/registries.conf', 'operator-file-edited'],
    ['cp a.conf /etc/crio/crio.conf.d/00-default', 'operator-file-edited'],
    ['cp /tmp/00-default /etc/crio/crio.conf.d/', 'operator-file-edited'],
    ['rm -f /etc/machine-config-daemon/currentconfig', 'operator-file-edited'],
    ['touch /run/machine-config-daemon-force', 'operator-file-edited'],
    ['curl -so /etc/kubernetes/ca.crt https://example.com', 'operator-file-edited'],
    ['tee /var/lib/kubelet/config.json < /tmp/a', 'operator-file-edited'],
    ['mv /host/etc/containers/policy.json /tmp/', 'operator-file-edited'],
    ['chmod 600 /etc/kubernetes/kubeconfig', 'operator-file-edited'],
    ['find /etc/containers -name a -exec cp {} /etc/containers/registries.conf \\;', 'operator-file-edited'],
    ['rm -rf /etc/crio/crio.conf.d/*', 'operator-file-edited'],
    ['cd /etc/kubernetes && sed -i s/a/b/ kubelet.conf', 'operator-file-edited'],
    ['pushd /etc/crio >/dev/null\necho a >> crio.conf', 'operator-file-edited'],
    ['cd /etc/crio && bash -c "echo a > crio.conf"', 'operator-file-edited'],
    ['for f in /etc/crio/crio.conf /opt/a; do sed -i s/a/b/ "$f"; done', 'operator-file-edited'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a shell
    ['sed -i s/a/b/ "${CONF:-/etc/crio/crio.conf}"', 'operator-file-edited'],
    ['python3 -m pip install a', 'package-installed'],
    ['pip3.11 install a', 'package-installed'],
    ['function again { systemctl reboot; }\nagain', 'reboot-by-script'],
    ['echo reboot | at now', 'reboot-by-script'],
    ['loginctl reboot', 'reboot-by-script'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a shell
    ['ACTION=${1:-reboot}\nsystemctl $ACTION', 'reboot-by-script'],
    ['sudo --user root reboot', 'reboot-by-script'],
    ['systemctl start systemd-reboot.service', 'reboot-by-script'],
    ['python3 -c "import os; os.system(\'reboot\')"', 'reboot-by-script'],
    ['touch /var/run/machine-config-daemon-force', 'operator-file-edited'],
    ['case "$1" in\n  stop)\n    systemctl reboot\n    ;;\nesac', 'reboot-by-script'],
    ['WORDS=(a\nb)\nreboot', 'reboot-by-script'],
    ['$(command -v reboot)', 'reboot-by-script'],
    ['sudo "$(which reboot)" -f', 'reboot-by-script'],
    ['`type -P systemctl` reboot', 'reboot-by-script'],
    ['REBOOT=$(command -v reboot 2>/dev/null)\n$REBOOT', 'reboot-by-script'],
    ['coproc reboot', 'reboot-by-script'],
    ['WORDS=($(reboot))', 'reboot-by-script'],
    ['stop() (\n  reboot\n)\nstop', 'reboot-by-script'],
    [`cmd=(rpm-ostree install tcpdump)\n"\${cmd[@]}"`, 'package-installed'],
    [`cmd=(\n  setenforce\n  0\n)\n"\${cmd[@]}"`, 'selinux-weakened'],
    [`cmd=(rpm-ostree)\ncmd+=(--append=selinux=0)\n"\${cmd[@]}"`, 'selinux-weakened'],
    [`ALL=("systemctl daemon-reload" "setenforce 0")\nfor each in "\${ALL[@]}"; do $each; done`, 'selinux-weakened'],
    ['WORDS=(\n  a b\n  reboot\n)', 'reboot-by-script'],
    ['ARGS=(selinux=0 quiet)', 'selinux-weakened'],
    [`reboot \${x%)}`, 'reboot-by-script'],
    [`reboot \${x%")"}`, 'reboot-by-script'],
    [`LIST=( \${x%%(*} )\nsystemctl reboot`, 'reboot-by-script'],
    [`LIST=( \${x%%$(a)*} )\nsystemctl reboot`, 'reboot-by-script'],
    [`echo \${x:-$(reboot)}`, 'reboot-by-script'],
    [`case "$1" in a) true ;; esac\nreboot \${x#$(a)})`, 'reboot-by-script'],
    ['x=$(case "$1" in a) setenforce 0 ;; esac)\n', 'selinux-weakened'],
    ["sed -i 's/a/b/;s/quiet/selinux=0/' /etc/default/grub", 'selinux-weakened'],
    ["sed -i 's/a\\/b/c selinux=0 d/' /etc/default/grub", 'selinux-weakened'],
    ['sed -i -es/quiet/selinux=0/ /etc/default/grub', 'selinux-weakened'],
    ["sed -i 's/a/b/;$a options selinux=0' /etc/default/grub", 'selinux-weakened'],
    ['mkdir -p /a; cat <<EOF >/etc/systemd/system/kubelet.service.d/20-a.conf\n[Service]\nEOF', 'operator-file-edited'],
  ])('[S1-20] %j is found', (text, code) => {
    expect(found(script(text))).toEqual(
      [code].flatMap((each) => (text.includes('install -r') ? ['package-installed', each] : [each])),
    );
  });

  test.each([
    '# setenforce 0',
    'echo "never run setenforce 0 or reboot"',
    'setenforce 1',
    'setenforce Enforcing',
    'echo 1 > /sys/fs/selinux/enforce',
    'cat /sys/fs/selinux/enforce',
    "sed -i 's/SELINUX=permissive/SELINUX=enforcing/' /etc/selinux/config",
    'grep -q selinux=0 /proc/cmdline && exit 1',
    'rpm-ostree kargs --delete=selinux=0 || true'.replace('kargs --delete=selinux=0', 'status'),
    'rpm-ostree status',
    'rpm-ostree kargs',
    'rpm -q kernel',
    'rpm -e --test kernel',
    '[ -x "$(command -v reboot)" ] && ls -l $(which reboot)',
    'command -v reboot\n$()',
    'which reboot\n$(true)',
    'rpm -qi kernel',
    'rpm --import /etc/pki/a',
    'dnf list installed',
    'podman run registry.example.com/a dnf install b',
    'systemctl restart chronyd',
    'systemctl is-active reboot.target',
    'shutdown -c',
    'kexec -l /boot/vmlinuz',
    'cp /etc/containers/registries.conf /var/tmp/',
    'cat /etc/kubernetes/kubelet.conf',
    'restorecon -R /opt/a; chcon -t container_file_t /opt/a; chcon -t bin_t /usr/local/bin/a',
    'setsebool -P virt_use_nfs 1',
    'cat <<EOF > /var/tmp/readme\nreboot\nsetenforce 0\nEOF',
    'case "$1" in reboot) echo a;; esac',
    '[[ -f /run/machine-config-daemon-force ]] && exit 1',
    'timeout 5 echo reboot',
    'find / -name reboot',
    'logger "kernel has selinux=0"',
    'command -v reboot && command -V setenforce',
    'cd /etc/kubernetes && cat kubelet.conf; cd /opt && echo a > kubelet.conf',
    'cd /etc/crio; cd "$OTHER"; echo a > crio.conf',
    'pushd /etc/crio; popd; echo a > crio.conf',
    'case "$1" in\n  reboot)\n    echo no\n    ;;\nesac',
    'case "$1" in\n  halt|reboot)\n    echo no\n    ;;\nesac',
    'WORDS=(stop reboot)',
    'case "$1" in\n  a) case "$2" in reboot) echo no ;; esac ;;\n  halt) echo no ;;\nesac',
    "sed -i 's/ selinux=0//;s/ enforcing=0//g' /etc/default/grub",
    'reboot() { echo no; }',
    'sed -i "s/ selinux=0//" /etc/default/grub',
    'touch -r /etc/kubernetes/kubelet.conf /tmp/a',
    'chcon -u unconfined_u /opt/a',
  ])('[S1-20] nothing is said of %j', (text) => {
    expect(found(script(text))).toEqual([]);
  });

  test.each<readonly [string, string]>([
    ['ExecStart=/usr/sbin/setenforce 0', 'selinux-weakened'],
    ['ExecStartPre=-+/usr/sbin/setenforce 0', 'selinux-weakened'],
    ['ExecStart=/bin/sh -c "sleep 3 && \\\n  setenforce 0"', 'selinux-weakened'],
    ["ExecStartPost=/bin/bash -c 'echo 0 > /sys/fs/selinux/enforce'", 'selinux-weakened'],
    ['ExecStart=/bin/true ; /usr/bin/systemctl reboot', 'reboot-by-script'],
    ['SELinuxContext=system_u:system_r:unconfined_t:s0', 'selinux-weakened'],
    ['ExecStart=/usr/bin/rpm-ostree install a', 'package-installed'],
    ['FailureAction=reboot-force', 'reboot-by-script'],
    ['OnSuccess=reboot.target', 'reboot-by-script'],
    ['OnFailure=systemd-reboot.service', 'reboot-by-script'],
    ['[Timer]\nUnit=reboot.target', 'reboot-by-script'],
  ])('[S1-20] a unit with %j', (text, code) => {
    expect(found(unit(text))).toEqual([code]);
  });

  test('[S1-20] drop-ins are read, and what only looks like a shell there is none', () => {
    const dropin: Saying = {
      units: {
        'a.service': { dropins: [{ name: '10-a.conf', contents: '[Service]\nExecStartPre=/usr/sbin/setenforce 0\n' }] },
      },
    };

    expect(found(dropin)).toEqual(['selinux-weakened']);
    expect(found(unit('ExecStart=/bin/echo a > /etc/selinux/config'))).toEqual([]);
    expect(found(unit('# ExecStart=/usr/sbin/setenforce 0'))).toEqual([]);
  });

  test('[S1-20] contents are decoded: base64, gzip, percent escapes; Python and cron too', () => {
    const text = '#!/bin/sh\nsetenforce 0\n';
    const packed = gzipSync(Buffer.from(text)).toString('base64');
    const file = (contents: object): Saying => ({ files: { '/usr/local/bin/a': { mode: 493, contents } } });
    const python = '#!/usr/bin/env python3\nimport subprocess\nsubprocess.run(["setenforce", "0"])\n';

    expect(found(file({ source: `data:;base64,${packed}`, compression: 'gzip' }))).toEqual(['selinux-weakened']);
    expect(found(file({ source: `data:,${encodeURIComponent(text)}` }))).toEqual(['selinux-weakened']);
    expect(found({ files: { '/usr/local/bin/a.py': python } })).toEqual(['selinux-weakened']);
    expect(found({ files: { '/etc/cron.d/a': '@reboot root /usr/sbin/setenforce 0\n' } })).toEqual([
      'selinux-weakened',
    ]);
    expect(found({ files: { '/etc/tmpfiles.d/a.conf': 'w /sys/fs/selinux/enforce - - - - 0\n' } })).toEqual([
      'selinux-weakened',
    ]);
    expect(found({ files: { '/etc/crio/crio.conf.d/10-a': '[crio.runtime]\nselinux = false\n' } })).toEqual([
      'selinux-weakened',
    ]);
  });

  test.each([
    'logging.info("reboot")',
    'x = {"action": "reboot"}',
    'if action == "reboot": pass',
    'raise Exception("reboot required")',
    'parser.add_argument("action", choices=["reboot", "halt"])',
    'print("systemctl reboot")',
    'die "reboot" if $a eq "reboot";',
    '"""Reboot the node."""',
  ])('[S1-20] nothing is said of %j in Python', (text) => {
    expect(found({ files: { '/usr/local/bin/a.py': `#!/usr/bin/python3\n${text}\n` } })).toEqual([]);
  });

  test.each([
    'os.system("reboot")',
    'subprocess.run(["systemctl", "reboot"])',
    'cmd = ["systemctl", "reboot"]',
    'subprocess.run(\n  ["systemctl", "reboot"],\n  check=True,\n)',
    'CMD=["systemctl","reboot"]',
    'COMMANDS = [\n  "systemctl reboot",\n]',
    'for c in ("systemctl reboot", "true"):\n  os.system(c)',
    'ACTIONS = {\n  "restart": "systemctl reboot",\n}',
    'my $cmd="systemctl reboot";',
    'run_cmd("systemctl reboot")',
    'sh("systemctl reboot")',
    'log_and_run("systemctl reboot")',
    'await asyncio.create_subprocess_exec("systemctl", "reboot")',
    'await asyncio.create_subprocess_shell("systemctl reboot")',
    "require('child_process').execSync('systemctl reboot')",
    "cp.spawnSync('systemctl', ['reboot'])",
    'print(subprocess.check_output(["systemctl", "reboot"]))',
    'print("now"); os.system("reboot")',
    'os.system("reboot") or print("no")',
    'print("systemctl reboot", file=script)',
    'print "reboot" | "sh"',
    'logging.info("no") if a == "b" else call("reboot")',
  ])('[S1-20] %j is found in Python, Perl and others', (text) => {
    expect(found({ files: { '/usr/local/bin/a.py': `#!/usr/bin/python3\n${text}\n` } })).toEqual(['reboot-by-script']);
  });

  test.each<[string, Saying]>([
    ['lines of Python', { files: { '/usr/local/bin/a.py': `#!/usr/bin/python3\n${'x=1\n'.repeat(5_000)}y=1\n` } }],
    ['characters of Python', { files: { '/usr/local/bin/a.py': `#!/usr/bin/python3\nx="${'a'.repeat(4_200)}"\n` } }],
    ['lines of a unit', unit(`${'# a\n'.repeat(5_000)}ExecStart=/bin/true`)],
  ])('[S1-20] more %s than are looked at are told', (_what, saying) => {
    const told = lintMachineConfig(machineConfig('50-x', saying)).filter(({ code }) => code === 'not-looked-at');

    expect(told.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /: only the first of its commands were looked at: it is too long, or a here document in it has no end$/,
      ),
    ]);
  });

  test('[S1-20] more scripts than are looked at are told', () => {
    const files = Object.fromEntries(
      Array.from({ length: 53 }, (_, at) => [`/usr/local/bin/a${at}.sh`, '#!/bin/sh\n']),
    );
    const told = lintMachineConfig(machineConfig('50-x', { files })).filter(({ code }) => code === 'not-looked-at');

    expect(told.map(({ text }) => text)).toEqual([
      expect.stringMatching(/whether anything runs 3 more of its scripts was not looked at$/),
    ]);
  });

  test('[S1-20] a script that edits what another MachineConfig of the pool sets makes the node drift', () => {
    const chrony = machineConfig('40-chrony', { files: { '/etc/chrony.conf': 'server a\n' } });

    expect(found(script('sed -i s/a/b/ /etc/chrony.conf'), [chrony])).toEqual(['operator-file-edited']);
    expect(found(script('sed -i s/a/b/ /etc/chrony.conf'))).toEqual([]);
    expect(found(script('sed s/a/b/ /etc/chrony.conf'), [chrony])).toEqual([]);
  });

  test('[S1-20] what a command is given is not repeated: it may be a secret', () => {
    const said = JSON.stringify(
      lintMachineConfig(machineConfig('50-x', script('curl -u admin:Hunter22 -o /etc/kubernetes/ca.crt https://a'))),
    );

    expect(said).toContain('/etc/kubernetes/ca.crt');
    expect(said).not.toContain('Hunter22');
  });

  test.each([
    'mask=$(( mask | (1 << cpu) ))',
    '(( mask |= 1 << cpu ))',
    'size=$(((size >> 3) << 3))',
    '((a << 1)) && b',
  ])('[S1-20] a shift of bits opens no here document: %s', (line) => {
    expect(found(script(`${line}\nsetenforce 0`))).toEqual(['selinux-weakened']);
  });

  test('[S1-20] a subshell within a subshell does not calculate, and its here document holds no commands', () => {
    expect(found(script('((cat <<EOF\nsetenforce 0\nEOF\n) | cat)\nreboot'))).toEqual(['reboot-by-script']);
  });

  test('[S1-20] a here document without an end is told, as what stands behind it was not looked at', () => {
    const texts = lintMachineConfig(machineConfig('50-x', script('cat <<EOF\nsetenforce 0'))).map(({ text }) => text);

    expect(texts).toContainEqual(expect.stringMatching(/a here document in it has no end$/));
  });

  test('[S1-20] any text is read to its end within its limits, and each character once', () => {
    const token = fc.constantFrom(
      '"',
      "'",
      '`',
      '$(',
      '(',
      ')',
      '<<EOF\n',
      'EOF\n',
      '\\',
      '$A',
      'A=$A$A\n',
      '|',
      '>',
      '#',
      ' ',
      '\n',
      'x',
      '${',
      '<<<',
    );

    fc.assert(
      fc.property(fc.array(token, { maxLength: 400 }), (tokens) => {
        const commands = shellCommands(tokens.join(''));

        expect(commands.length).toBeLessThanOrEqual(tokens.length + 1);
        for (const { words } of commands)
          for (const word of words) expect(word.length).toBeLessThanOrEqual(3 * shellLimits.word);
      }),
    );
  });

  test.each(['"', '`', '$(', '(', '<<E\n', 'A=$A$A$A\n', 'a|', '\\\n', "'a", '# ', 'sed -i ', '-iiii', 'x'])(
    '[S1-20] [N-30] a text of nothing but %j costs no more than its length',
    (token) => {
      const commands = shellCommands(token.repeat(200_000));

      expect(commands.length).toBeLessThanOrEqual(shellLimits.commands);
      expect(commands.reduce((sum, { words }) => sum + words.join('').length, 0)).toBeLessThan(1_000_000);
    },
  );
});
