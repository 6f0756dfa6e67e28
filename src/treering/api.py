"""The Python door: `Treering.open(path)` and the verbs of the contract as methods."""

from treering.actions.backfill import backfill
from treering.actions.checkpoint import checkpoint
from treering.actions.config import config
from treering.actions.context import context
from treering.actions.diff import diff
from treering.actions.doctor import doctor
from treering.actions.drain import drain
from treering.actions.entities import entities
from treering.actions.export import export_markdown, exported
from treering.actions.forget import forget
from treering.actions.gc import gc, promote_by_hand
from treering.actions.graph import graph
from treering.actions.imports import import_path
from treering.actions.inference import infer_links, prune_links
from treering.actions.init import init, uninstall
from treering.actions.link import link
from treering.actions.log import log
from treering.actions.maintain import maintain
from treering.actions.prompts import prompts
from treering.actions.read import read
from treering.actions.recall import recall
from treering.actions.redact import redact
from treering.actions.reindex import reindex
from treering.actions.remember import remember
from treering.actions.restore import restore
from treering.actions.revert import revert
from treering.actions.revise import revise
from treering.actions.status import status
from treering.actions.sync import sync
from treering.actions.workspace import Workspace


class Treering(Workspace):
    """The memories of one repository.

    >>> tr = Treering.open(".")
    >>> tr.remember("Use WAL mode: readers never block", type="decision").id  # doctest: +SKIP
    '7k2m9qx4c0wd'
    """

    remember = remember
    recall = recall
    read = read
    revise = revise
    forget = forget
    link = link
    graph = graph
    infer_links = infer_links
    prune_links = prune_links
    entities = entities
    checkpoint = checkpoint
    context = context
    prompts = prompts
    log = log
    diff = diff
    revert = revert
    exported = exported
    export_markdown = export_markdown
    import_path = import_path
    backfill = backfill
    drain = drain
    status = status
    config = config
    init = init
    uninstall = uninstall
    doctor = doctor
    reindex = reindex
    gc = gc
    promote = promote_by_hand
    restore = restore
    maintain = maintain
    sync = sync
    redact = redact


__all__ = ["Treering"]
