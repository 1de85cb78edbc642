import { Anchor, Button, NativeSelect, useMantineColorScheme } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, use, useContext, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Failure } from '../design/failure.tsx';
import { type Zone, ZoneContext } from '../language/format.ts';
import { type Language, useLanguage, useTexts } from '../language/language.ts';
import { useSession, useSessionControl } from '../session/session.tsx';
import classes from './frame.module.css';
import { SetDisplayContext } from './set-display.ts';
import { shellTexts } from './shell-texts.ts';

/** The menu of the signed-in administrator: their account, how the console is shown, and the sign-out. */
export function UserMenu(): ReactNode {
  const t = useTexts(shellTexts);
  const { administrator } = useSession();
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    setOpen(false);
  }, [location]);
  useEffect(() => {
    if (!isOpen) {
      return undefined;
    }
    const onPointer = ({ target }: PointerEvent): void => {
      if (target instanceof Node && place.current?.contains(target) === false) {
        setOpen(false);
      }
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') {
        setOpen(false);
        place.current?.querySelector('button')?.focus();
      }
    };
    document.addEventListener('pointerdown', onPointer);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onPointer);
      document.removeEventListener('keydown', onKey);
    };
  }, [isOpen]);
  return (
    <div ref={place} className={classes.user}>
      <Button
        variant="default"
        size="xs"
        className={classes.userButton}
        aria-label={t.userMenu(administrator)}
        aria-expanded={isOpen}
        aria-controls="user-menu"
        onClick={() => {
          setOpen(!isOpen);
        }}
      >
        {administrator}
      </Button>
      <aside id="user-menu" className={classes.preferences} hidden={!isOpen} aria-label={t.preferences}>
        {isOpen && <Preferences />}
      </aside>
    </div>
  );
}

function Preferences(): ReactNode {
  const t = useTexts(shellTexts);
  const { administrator } = useSession();
  const { signOut } = useSessionControl();
  const leave = useMutation({ mutationFn: signOut });
  const { setLanguage, setZone } = use(SetDisplayContext);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <strong className={classes.administrator}>{administrator}</strong>
      <Anchor href="#/account">{t.account}</Anchor>
      <Failure error={leave.error} />
      <NativeSelect
        size="xs"
        label={t.language}
        value={useLanguage()}
        data={[
          { value: 'en', label: 'English' },
          { value: 'de', label: 'Deutsch' },
        ]}
        onChange={(event) => {
          setLanguage(event.currentTarget.value as Language);
        }}
      />
      <NativeSelect
        size="xs"
        label={t.theme}
        value={colorScheme}
        data={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: t.themes[value] }))}
        onChange={(event) => {
          setColorScheme(event.currentTarget.value as typeof colorScheme);
        }}
      />
      <NativeSelect
        size="xs"
        label={t.times}
        value={useContext(ZoneContext)}
        data={(['local', 'UTC'] as const).map((value) => ({ value, label: t.zones[value] }))}
        onChange={(event) => {
          setZone(event.currentTarget.value as Zone);
        }}
      />
      <Button
        variant="default"
        size="xs"
        loading={leave.isPending}
        onClick={() => {
          // Those who ask before the window is closed ask here, too.
          const isAsked = !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
          if (!isAsked || window.confirm(t.leaveOpen)) {
            leave.mutate();
          }
        }}
      >
        {t.signOut}
      </Button>
    </>
  );
}
