/** Hosts that serve only advertisements, or only measurements of visitors. Each includes its subdomains. */

const lines = (text: string) => text.trim().split(/\s+/);

export const adHosts = lines(`
  2mdn.net 33across.com 3lift.com adcolony.com adform.net adgrx.com adition.com adkernel.com admob.com adnxs.com adnxs-simple.com
  adroll.com ads-twitter.com adsafeprotected.com adscale.de adsrvr.org adsterra.com adtech.de adtechus.com advertising.com adzerk.net
  amazon-adsystem.com aniview.com app-measurement.com appnexus.com bidswitch.net bidr.io buysellads.com casalemedia.com criteo.com
  criteo.net connatix.com contextweb.com deployads.com districtm.io doubleclick.net doubleverify.com e-planning.net emxdgt.com
  exoclick.com freewheel.tv fwmrm.net gammaplatform.com googleadservices.com googleads.com googlesyndication.com googletagservices.com
  gumgum.com id5-sync.com impactify.io indexexchange.com infolinks.com inmobi.com innovid.com insightexpressai.com ipredictive.com
  juicyads.com justpremium.com kargo.com lijit.com lkqd.net loopme.me media.net mediavine.com mgid.com mookie1.com moatads.com
  nativo.com ntv.io onetag-sys.com openx.com openx.net outbrain.com outbrainimg.com popads.net popcash.net propellerads.com pubmatic.com
  pubmine.com revcontent.com rfihub.com richaudience.com rubiconproject.com seedtag.com servedby-buysellads.com serving-sys.com sharethrough.com
  smaato.net smartadserver.com smartclip.net sonobi.com sovrn.com spotx.tv spotxchange.com stackadapt.com stickyadstv.com
  taboola.com tapad.com teads.tv trafficjunky.net tremorhub.com tribalfusion.com triplelift.com turn.com undertone.com unrulymedia.com
  unityads.unity3d.com vidazoo.com yieldlab.net yieldlove.com yieldmo.com zedo.com zemanta.com`);

export const trackingHosts = lines(`
  agkn.com alooma.com amplitude.com appsflyer.com bat.bing.com beacon.krxd.net bluekai.com bounceexchange.com branch.io braze.com brightedge.com
  chartbeat.com chartbeat.net clarity.ms clicky.com clicktale.net connect.facebook.net contentsquare.net cookielaw.org crazyegg.com
  crwdcntrl.net demdex.net dotmetrics.net dynatrace.com etracker.com etracker.de everesttech.net exelator.com eyeota.net
  fullstory.com getclicky.com gemius.pl google-analytics.com googleoptimize.com googletagmanager.com heapanalytics.com heap.io hotjar.com
  hotjar.io hs-analytics.net imrworldwide.com inspectlet.com intentiq.com ioam.de keen.io kissmetrics.com kissmetrics.io krxd.net
  liadm.com logrocket.com logrocket.io luckyorange.com marketo.net matomo.cloud mc.yandex.ru mixpanel.com mktoresp.com mouseflow.com
  mxpnl.com newrelic.com nr-data.net omtrdc.net onetrust.io optimizely.com parsely.com pardot.com permutive.com permutive.app pixel.facebook.com
  piwik.pro plausible.io quantcount.com quantserve.com quantummetric.com rlcdn.com rudderlabs.com scorecardresearch.com segment.com segment.io
  sessioncam.com simpleanalyticscdn.com siftscience.com smartlook.com snowplowanalytics.com statcounter.com stats.wp.com tealium.com
  tealiumiq.com tiqcdn.com tns-counter.ru top-fwz1.mail.ru usabilla.com vwo.com visualwebsiteoptimizer.com webtrekk.net
  webtrends.com wt-safetag.com yandexmetrica.com zeotap.com`);
