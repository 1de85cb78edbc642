import type { JSX } from 'preact';
import { useContext, useId, useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { LanguageContext, useTexts } from '../language/language.ts';
import { timeText } from '../language/time-text.ts';
import { backupTexts } from './backup-texts.ts';
import { MAX_BACKUP_BYTES } from '../vault/backup-file.ts';
import { Form } from './form.tsx';
import { type ProtectedVault, type RestorePlan, VaultError } from '../vault/vault.ts';
import { useVaultWork } from './vault-work.ts';
import { WorkNotice } from './work-notice.tsx';

/** Opens a backup file, shows what restoring it does, and restores it after another press. */
export function RestoreForm({ vault }: { vault: ProtectedVault }): JSX.Element {
  const texts = useTexts(backupTexts);
  const [file, setFile] = useState<File>();
  const [passphrase, setPassphrase] = useState('');
  const [plan, setPlan] = useState<RestorePlan>();
  const [isRestored, setRestored] = useState(false);
  const work = useVaultWork();
  if (plan !== undefined) {
    return (
      <PlanConfirmation
        vault={vault}
        plan={plan}
        onEnd={(hasRestored) => {
          setPlan(undefined);
          setRestored(hasRestored);
        }}
      />
    );
  }
  return (
    <Form
      onSubmit={() => {
        if (file !== undefined && passphrase !== '') {
          setRestored(false);
          work.run(async () => {
            setPlan(await vault.planRestore(await contentOf(file), passphrase));
            setPassphrase('');
            return undefined;
          });
        }
      }}
    >
      <FileField label={texts.file} onFile={setFile} />
      <Field label={texts.passphrase} type="password" value={passphrase} onValue={setPassphrase} />
      <WorkNotice message={isRestored ? { kind: 'success', text: texts.restored } : work.message} />
      <Button type="submit" disabled={file === undefined || passphrase === ''} busy={work.isBusy}>
        {texts.read}
      </Button>
    </Form>
  );
}

function FileField({
  label,
  onFile,
}: {
  label: string;
  onFile: (file: File | undefined) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept="application/json,.json"
        onChange={(event) => {
          onFile(event.currentTarget.files?.[0]);
        }}
      />
    </div>
  );
}

function PlanConfirmation({
  vault,
  plan,
  onEnd,
}: {
  vault: ProtectedVault;
  plan: RestorePlan;
  onEnd: (hasRestored: boolean) => void;
}): JSX.Element {
  const texts = useTexts(backupTexts);
  const language = useContext(LanguageContext);
  const work = useVaultWork();
  const date = timeText(language, plan.content.createdAt);
  return (
    <div class="card">
      <p>{plan.tokens.length === 0 ? texts.nothing : texts.plan(date)}</p>
      <ul class="rows">
        {plan.tokens.map(({ kind, stored }) => (
          <li class="row" key={stored.token.serial}>
            <span class="row-body">
              <bdi class="row-title">{stored.name === '' ? stored.token.serial : stored.name}</bdi>
              <span class="row-note">{texts.kinds[kind]}</span>
            </span>
          </li>
        ))}
      </ul>
      {plan.tokens.some(({ kind }) => kind === 'added') && (
        <Notice kind="warning">
          <p>{texts.counters}</p>
          <p>{texts.twoPhones}</p>
        </Notice>
      )}
      <WorkNotice message={work.message} />
      <Button
        kind="primary"
        busy={work.isBusy}
        onPress={() => {
          work.run(async () => {
            await vault.restore(plan);
            onEnd(true);
            return undefined;
          });
        }}
      >
        {texts.confirm}
      </Button>
      <Button
        onPress={() => {
          onEnd(false);
        }}
      >
        {texts.cancel}
      </Button>
    </div>
  );
}

/** @throws VaultError 'backup-too-large' before anything is read */
async function contentOf(file: File): Promise<string> {
  if (file.size > MAX_BACKUP_BYTES) {
    throw new VaultError('backup-too-large');
  }
  return file.text();
}
