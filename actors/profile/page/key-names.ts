/** The named keys of the UI Events standard that Chromium knows, without modifiers. */

/** Values of `KeyboardEvent.key` that have no key code. */
const named = `
AltGraph Fn FnLock Symbol SymbolLock Hyper Super
Copy CrSel Cut EraseEof ExSel Paste Redo Undo Again Attn Find Play Props ZoomIn ZoomOut
BrightnessDown BrightnessUp Eject LogOff Power PowerOff Hibernate Standby WakeUp
AllCandidates Alphanumeric CodeInput Compose FinalMode GroupFirst GroupLast GroupNext GroupPrevious NextCandidate
PreviousCandidate Process SingleCandidate HangulMode HanjaMode JunjaMode Eisu Hankaku Hiragana HiraganaKatakana KanaMode KanjiMode
Katakana Romaji Zenkaku ZenkakuHankaku Soft1 Soft2 Soft3 Soft4
ChannelDown ChannelUp Close MailForward MailReply MailSend MediaClose MediaFastForward MediaPause MediaPlay MediaRecord MediaRewind
New Open Save SpellCheck Key11 Key12
AudioBalanceLeft AudioBalanceRight AudioBassBoostDown AudioBassBoostToggle AudioBassBoostUp AudioFaderFront AudioFaderRear
AudioSurroundModeNext AudioTrebleDown AudioTrebleUp MicrophoneToggle MicrophoneVolumeDown MicrophoneVolumeUp MicrophoneVolumeMute
SpeechCorrectionList SpeechInputToggle
LaunchApplication1 LaunchApplication2 LaunchCalendar LaunchContacts LaunchMail LaunchMediaPlayer LaunchMusicPlayer LaunchPhone
LaunchScreenSaver LaunchSpreadsheet LaunchWebBrowser LaunchWebCam LaunchWordProcessor
BrowserBack BrowserFavorites BrowserForward BrowserHome BrowserRefresh BrowserSearch BrowserStop
AppSwitch Call Camera CameraFocus EndCall GoBack GoHome HeadsetHook LastNumberRedial Notification MannerMode VoiceDial
TV TV3DMode TVAntennaCable TVAudioDescription TVAudioDescriptionMixDown TVAudioDescriptionMixUp TVContentsMenu TVDataService TVInput
TVInputComponent1 TVInputComponent2 TVInputComposite1 TVInputComposite2 TVInputHDMI1 TVInputHDMI2 TVInputHDMI3 TVInputHDMI4 TVInputVGA1
TVMediaContext TVNetwork TVNumberEntry TVPower TVRadioService TVSatellite TVSatelliteBS TVSatelliteCS TVSatelliteToggle
TVTerrestrialAnalog TVTerrestrialDigital TVTimer
AVRInput AVRPower ColorF0Red ColorF1Green ColorF2Yellow ColorF3Blue ColorF4Grey ColorF5Brown ClosedCaptionToggle Dimmer DisplaySwap
DVR Exit FavoriteClear0 FavoriteClear1 FavoriteClear2 FavoriteClear3 FavoriteRecall0 FavoriteRecall1 FavoriteRecall2 FavoriteRecall3
FavoriteStore0 FavoriteStore1 FavoriteStore2 FavoriteStore3 Guide GuideNextDay GuidePreviousDay Info InstantReplay Link ListProgram
LiveContent Lock MediaApps MediaAudioTrack MediaLast MediaSkipBackward MediaSkipForward MediaStepBackward MediaStepForward
MediaTopMenu NavigateIn NavigateNext NavigateOut NavigatePrevious NextFavoriteChannel NextUserProfile OnDemand Pairing PinPDown
PinPMove PinPToggle PinPUp PlaySpeedDown PlaySpeedReset PlaySpeedUp RandomToggle RcLowBattery RecordSpeedNext RfBypass
ScanChannelsToggle ScreenModeNext Settings SplitScreenToggle STBInput STBPower Subtitle Teletext VideoModeNext Wink ZoomToggle
`;

/** Their key codes, which old pages read as `keyCode`. */
const coded = {
  Cancel: 3,
  Backspace: 8,
  Tab: 9,
  Clear: 12,
  Enter: 13,
  Pause: 19,
  CapsLock: 20,
  Escape: 27,
  Convert: 28,
  NonConvert: 29,
  Accept: 30,
  ModeChange: 31,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Select: 41,
  Print: 42,
  Execute: 43,
  PrintScreen: 44,
  Insert: 45,
  Delete: 46,
  Help: 47,
  ContextMenu: 93,
  NumLock: 144,
  ScrollLock: 145,
  AudioVolumeMute: 173,
  AudioVolumeDown: 174,
  AudioVolumeUp: 175,
  MediaTrackNext: 176,
  MediaTrackPrevious: 177,
  MediaStop: 178,
  MediaPlayPause: 179,
};

const functionKeys = Array.from({ length: 24 }, (_, at) => [`F${at + 1}`, 112 + at] as const);

/** Each name with its key code, or 0. */
export const keyNames: ReadonlyMap<string, number> = new Map([
  ...named
    .trim()
    .split(/\s+/)
    .map((name) => [name, 0] as const),
  ...Object.entries(coded),
  ...functionKeys,
]);
