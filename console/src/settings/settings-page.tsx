import { Badge, Button, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { DialogBoundary } from '../design/dialog.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import type { Setting, SettingChange } from './setting-change.ts';
import { SettingDialog } from './setting-dialog.tsx';
import { settingTexts } from './setting-texts.ts';
import classes from './settings.module.css';

/** Every setting with its value, default and meaning. */
export default function SettingsPage(): ReactNode {
  const t = useTexts(settingTexts);
  const mayWrite = useSession().may('system', 'write');
  const [change, setChange] = useState<SettingChange>();
  const close = (): void => {
    setChange(undefined);
  };
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => call('/admin/setting/list', {}, { signal }),
  });
  const list = (shown: readonly Setting[]): ReactNode => (
    <ul className={classes.settings}>
      {shown.map((setting) => (
        <SettingRow key={setting.key} setting={setting} onChange={mayWrite ? setChange : undefined} />
      ))}
    </ul>
  );
  return (
    <Page title={t.title} lead={t.lead}>
      <Loaded query={settings}>
        {(all) => (
          <>
            {list(all.filter(({ is_known: isKnown }) => isKnown))}
            {all.some(({ is_known: isKnown }) => !isKnown) && (
              <section aria-label={t.others}>
                <Title order={2} size="h4">
                  {t.others}
                </Title>
                <p>{t.othersLead}</p>
                {list(all.filter(({ is_known: isKnown }) => !isKnown))}
              </section>
            )}
          </>
        )}
      </Loaded>
      {change !== undefined && (
        <DialogBoundary onClose={close}>
          <SettingDialog key={`${change.kind} ${change.setting.key}`} change={change} onClose={close} />
        </DialogBoundary>
      )}
    </Page>
  );
}

function SettingRow({
  setting,
  onChange,
}: {
  readonly setting: Setting;
  readonly onChange: ((change: SettingChange) => void) | undefined;
}): ReactNode {
  const t = useTexts(settingTexts);
  const { key, meaning, is_set: isSet, is_known: isKnown } = setting;
  return (
    <li className={classes.setting}>
      <div>
        <strong>{key}</strong>
        <div className={classes.meaning}>{t.meanings[key] ?? meaning}</div>
      </div>
      <div>
        {useShownValue(setting)}{' '}
        <Badge variant="light" color={isSet ? 'blue' : 'gray'}>
          {isSet ? t.isSet : t.isDefault}
        </Badge>
        {isKnown && <div className={classes.meaning}>{`${t.initial}: ${setting.default ?? t.none}`}</div>}
      </div>
      {onChange !== undefined && <ChangeButtons setting={setting} onChange={onChange} />}
    </li>
  );
}

function useShownValue({ value, unit, is_withheld: isWithheld }: Setting): string {
  const t = useTexts(settingTexts);
  const shown = isWithheld ? t.withheld : (value ?? t.none);
  return unit === 'seconds' ? `${shown} ${t.seconds}` : shown;
}

function ChangeButtons({
  setting,
  onChange,
}: {
  readonly setting: Setting;
  readonly onChange: (change: SettingChange) => void;
}): ReactNode {
  const t = useTexts(settingTexts);
  const { key, is_set: isSet, is_known: isKnown } = setting;
  return (
    <div className={classes.buttons}>
      {isKnown && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.change(key)}
          onClick={() => {
            onChange({ setting, kind: 'set' });
          }}
        >
          {t.changeShort}
        </Button>
      )}
      {isSet && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={isKnown ? t.reset(key) : `${t.removeShort} ${key}`}
          onClick={() => {
            onChange({ setting, kind: 'reset' });
          }}
        >
          {isKnown ? t.resetShort : t.removeShort}
        </Button>
      )}
    </div>
  );
}
